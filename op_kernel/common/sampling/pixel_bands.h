// SPDX-License-Identifier: Apache-2.0
// Adds rows to the pixels that they have terms for (pixel_terms.h), in one order for every pixel.
//
// A core owns a band of neighbouring pixels and a group of channels: no other core adds to them. Their sums
// lie in UB, the channels of a pixel side by side. The core searches the terms of the image in their order,
// 1024 at a time. A term whose pixel lies in the band is a hit: one vector instruction adds its row, times
// its weight, to all channels of the pixel.
//
//   image           bands of 6 pixels     terms of the image                   sums of band 1
//   . . . . .       0 0 0 0 0 0 1 1 …     pixel   7   8   2   9   -1  …        pixel 6  c0 c1 c2 …
//   . . . . .                             weight  .2  .3  .1  .4  …            pixel 7  c0 c1 c2 … <- .2 row
//   0 . . . . .                             row     0   0   0   0    1  …        pixel 8  c0 c1 c2 … <- .3
//   row 0
//                                                 hit hit     hit
//
// Only the rows of hits are loaded, 32 hits at a time, and rows that follow each other with one copy. While
// the hits of one batch are added, the rows of the next one are on their way. The scalar unit waits once for
// what it reads from UB, so it reads the numbers, pixels and weights of a batch together.
#pragma once

#include "../copies/channels_last.h"
#include "../vectors/bits.h"
#include "../vectors/casts.h"
#include "pixel_bands_buffers.h"
#include "pixel_bands_tiling.h"

namespace avo {

// Where the rows of an image lie. Images that have rows in common, each with channels of its own, make a set.
struct RowPlaces {
  int64_t begin;  // elements before the first row
  int64_t set;    // images of a set
  int64_t sets;   // elements from set to set
  int64_t image;  // elements from image to image of a set
  int64_t row;    // elements from row to row
};

// S: type of the rows; T: type of the images.
template <typename S, typename T>
class PixelBands {
 public:
  // lists: what PixelTerms stored; rows: of the images of a step; images: the result, (image, channel,
  // pixel), which has `all` images. Takes PixelBandsBuffers of the Unified Buffer.
  __aicore__ inline void Init(GM_ADDR lists, GM_ADDR rows, const RowPlaces &places, GM_ADDR images,
                              int64_t all, const PixelBandsTiling &t, AscendC::TPipe *pipe) {
    t_ = t;
    places_ = places;
    pixels_ = t.height * t.width;
    const int64_t terms = (t.images * t.rows) << t.tapBits;
    lists_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(lists), 2 * terms);
    rows_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ S *>(rows), t.images / places.set * places.sets);
    images_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(images), all * t.channels * pixels_);
    const PixelBandsBuffers buffers(t.groupChannels, t.bandPixels, sizeof(S), sizeof(T));
    pipe->InitBuffer(terms_queue_, buffers.terms.count, buffers.terms.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    pipe->InitBuffer(hits_, buffers.hits.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(rows_queue_, buffers.rows.count, buffers.rows.bytes);
    if constexpr (!kWideRows) pipe->InitBuffer(wide_, buffers.wide.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(rounded_, buffers.rounded.bytes);
    pipe->InitBuffer(planes_queue_, buffers.planes.count, buffers.planes.bytes);
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    AscendC::CreateVecIndex(numbers_.template Get<int32_t>(), int32_t(0), kTerms);
    // The last terms of an image do not fill a repeat, nor the channels of a row a slot, nor the hits a
    // batch.
    ZeroQueue<int32_t>(terms_queue_, 2, 2 * kTerms);
    ZeroQueue<S>(rows_queue_, 3, kHits * t.groupChannels);
  }

  // Computes this core's share of a step of `images` images. The first one is image `first` of the result.
  __aicore__ inline void Process(int64_t first, int64_t images) {
    first_ = first;
    const Share share = CoreShare(images * t_.channelGroups * t_.bands);
    for (int64_t item = share.begin; item < share.end; ++item) {
      image_ = item / t_.bands / t_.channelGroups;
      channel_ = item / t_.bands % t_.channelGroups * t_.groupChannels;
      channels_ = MinRemaining(t_.channels - channel_, t_.groupChannels);
      width_ = RoundUp(channels_, kLanes);
      begin_ = item % t_.bands * t_.bandPixels;
      count_ = MinRemaining(pixels_ - begin_, t_.bandPixels);
      AscendC::Duplicate(sums_.template Get<float>(), 0.0f, RoundUp(count_, kLanes) * width_);
      AddTerms();
      CopyOut();
    }
  }

 private:
  static constexpr bool kWideRows = sizeof(S) == sizeof(float);
  static constexpr uint32_t kTerms = PixelBandsBuffers::kTerms, kHits = PixelBandsBuffers::kHits;
  static constexpr uint32_t kStored = PixelBandsBuffers::kStored;
  static constexpr uint32_t kPitch = PixelBandsBuffers::Pitch(sizeof(T));

  // Hits whose rows are loaded together.
  struct Batch {
    uint32_t count;          // hits
    uint32_t rows;           // different rows
    uint32_t pixels[kHits];  // of the band
    uint32_t rows_of[kHits];
    float weights[kHits];
  };

  // Adds the terms of the image that lie in the band.
  __aicore__ inline void AddTerms() {
    const int64_t terms = t_.rows << t_.tapBits;
    if (terms == 0) return;
    filled_ = &batches_[0], loaded_ = nullptr;
    filled_->count = filled_->rows = 0;
    Load(0);
    for (int64_t first = 0; first < terms; first += kTerms) {
      auto list = terms_queue_.template DeQue<int32_t>();
      if (first + kTerms < terms) Load(first + kTerms);
      const uint32_t hits = FindHits(list, MinRemaining(terms - first, kTerms));
      for (uint32_t h = 0; h < hits;) {
        const uint32_t taken = MinRemaining(hits - h, kHits - filled_->count);
        Take(list, first, h, taken);
        h += taken;
        if (filled_->count == kHits) EndBatch();
      }
      terms_queue_.FreeTensor(list);
    }
    if (filled_->count > 0) EndBatch();
    if (loaded_ != nullptr) AddBatch(*loaded_);
  }

  // Loads the terms of the image from term `first` on.
  __aicore__ inline void Load(int64_t first) {
    const int64_t terms = t_.rows << t_.tapBits;
    const uint32_t count = MinRemaining(terms - first, kTerms);
    auto list = terms_queue_.template AllocTensor<int32_t>();
    CopyRowsIn(list, kTerms, lists_gm_, image_ * terms + first, t_.images * terms, 2, count);
    terms_queue_.EnQue(list);
  }

  // Lists the numbers of those of `count` loaded terms that lie in the band. Returns how many there are.
  __aicore__ inline uint32_t FindHits(const AscendC::LocalTensor<int32_t> &list, uint32_t count) {
    constexpr uint32_t kRepeat = 64;
    const uint32_t whole = RoundUp(count, kRepeat);
    const auto hits = hits_.template Get<int32_t>();
    const auto places = hits_.template Get<float>();
    const auto bits = bits_.template Get<uint8_t>();
    AscendC::Adds(hits, list, static_cast<int32_t>(-begin_), whole);
    AscendC::Cast(places, hits, AscendC::RoundMode::CAST_NONE, whole);
    AscendC::CompareScalar(bits, places, 0.0f, AscendC::CMPMODE::GE, whole);
    KeepBits(bits, bits[kTerms / 8], places, ToFloat(count_), AscendC::CMPMODE::LT, whole);
    return PackMarked(hits, numbers_.template Get<int32_t>(), bits, count);
  }

  // Takes hits [h, h + count) into the batch, and starts to load their rows. Term 0 of the list is term
  // `first` of the image.
  __aicore__ inline void Take(const AscendC::LocalTensor<int32_t> &list, int64_t first, uint32_t h,
                              uint32_t count) {
    const auto hits = hits_.template Get<int32_t>();
    const auto weights = list[kTerms].template ReinterpretCast<float>();
    Batch &batch = *filled_;
    uint32_t terms[kHits];
    for (uint32_t i = 0; i < count; ++i) terms[i] = static_cast<uint32_t>(hits.GetValue(h + i));
    for (uint32_t i = 0; i < count; ++i) {
      batch.pixels[batch.count + i] = static_cast<uint32_t>(list.GetValue(terms[i]) - begin_);
      batch.weights[batch.count + i] = weights.GetValue(terms[i]);
    }
    if (batch.count == 0) rows_ = rows_queue_.template AllocTensor<S>();
    // Rows that follow each other are a run.
    int64_t last = -1;
    uint32_t run = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const int64_t row = (first + terms[i]) >> t_.tapBits;
      if (row != last) {
        if (row != last + 1 || run == 0) {
          LoadRows(last, run);
          run = 0;
        }
        ++run, ++batch.rows;
        last = row;
      }
      batch.rows_of[batch.count + i] = batch.rows - 1;
    }
    LoadRows(last, run);
    batch.count += count;
  }

  // Loads `count` rows, of which the last one is row `last`, to the end of the rows of the batch.
  __aicore__ inline void LoadRows(int64_t last, uint32_t count) {
    if (count == 0) return;
    const int64_t image =
        places_.begin + image_ / places_.set * places_.sets + image_ % places_.set * places_.image;
    CopyRowsIn(rows_[(filled_->rows - count) * width_], width_, rows_gm_,
               image + (last + 1 - count) * places_.row + channel_, places_.row, count, channels_);
  }

  // Ends the batch that is filled, and adds the one before it.
  __aicore__ inline void EndBatch() {
    rows_queue_.EnQue(rows_);
    if (loaded_ != nullptr) AddBatch(*loaded_);
    loaded_ = filled_;
    filled_ = filled_ == &batches_[0] ? &batches_[1] : &batches_[0];
    filled_->count = filled_->rows = 0;
  }

  // Adds the hits of a batch to the sums.
  __aicore__ inline void AddBatch(const Batch &batch) {
    const auto sums = sums_.template Get<float>();
    auto loaded = rows_queue_.template DeQue<S>();
    const auto rows = CastTo<float>(loaded, wide_, batch.rows * width_);
    for (uint32_t i = 0; i < batch.count; ++i) {
      AscendC::Axpy(sums[batch.pixels[i] * width_], rows[batch.rows_of[i] * width_], batch.weights[i],
                    static_cast<int32_t>(width_));
    }
    rows_queue_.FreeTensor(loaded);
  }

  // Rounds the sums of the band and stores them, some pixels at a time.
  __aicore__ inline void CopyOut() {
    const int64_t to = ((first_ + image_) * t_.channels + channel_) * pixels_ + begin_;
    for (uint32_t p = 0; p < count_; p += kStored) {
      const uint32_t count = MinRemaining(count_ - p, kStored);
      const auto sums = sums_.template Get<float>()[p * width_];
      auto planes = planes_queue_.template AllocTensor<T>();
      const auto rounded =
          CastTo<T>(sums, rounded_, RoundUp(count, kLanes) * width_, AscendC::RoundMode::CAST_RINT);
      PixelsToPlanes(planes, kPitch, rounded, width_, width_, count);
      planes_queue_.EnQue(planes);
      planes = planes_queue_.template DeQue<T>();
      CopyRowsOut(images_gm_, to + p, pixels_, planes, kPitch, channels_, count);
      planes_queue_.FreeTensor(planes);
    }
  }

  PixelBandsTiling t_;
  RowPlaces places_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> terms_queue_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> rows_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> planes_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, hits_, bits_, wide_, rounded_, sums_;
  AscendC::GlobalTensor<int32_t> lists_gm_;
  AscendC::GlobalTensor<S> rows_gm_;
  AscendC::GlobalTensor<T> images_gm_;
  AscendC::LocalTensor<S> rows_;  // of the batch that is filled
  Batch batches_[2];
  Batch *filled_, *loaded_;  // the batch that takes hits, and the one before it, whose rows are loaded
  int64_t pixels_;           // of an image
  int64_t first_;            // image of the result that is the first one of the step
  // The band and the group of channels that the core works on.
  int64_t image_, channel_, begin_;  // first channel, first pixel
  uint32_t channels_, width_;        // channels, and the same rounded up to 16
  uint32_t count_;                   // pixels
};

}  // namespace avo
