# SPDX-License-Identifier: Apache-2.0
"""CPU kernels write aligned results of more than 4 MB around the caches; those tuned for AMD, of more than 8 MB."""

import pytest

from ascend_vision_ops.testing import parse_case
from ascend_vision_ops.testing.run import judge, rerun_line

# Rows that are aligned and rows that are not; whole vectors, and elements left over at the end.
LINES = [
    "argmax(self=f32[3,65603,8].integers,dim=0).dense",
    "argmax(self=bf16[3,65603,8].integers,dim=0,select_last_index=True).dense",
    "upsample_linear1d(self=f32[1,352,756],output_size=[3024]).dense",
    "upsample_linear1d(self=f32[1,352,1013],output_size=[3040]).dense",
    "upsample_linear1d(self=f32[1,360,1500],output_size=[3000]).dense",
    "upsample_linear1d(self=f16[1,701,1520].special,output_size=[3040]).dense",
    "upsample_linear1d(self=bf16[1,701,1013].special,output_size=[3040]).dense",
    "upsample_linear1d(self=bf16[1,701,2940].special,output_size=[3040]).dense",
    "cummax(input=f32[9,1024,64].integers,dim=1).dense",
    "cummax(input=f32[600,1024].integers,dim=1).dense",
    # Vectors of narrow elements have fewer bytes than a store past the caches.
    "cummin(input=u8[16,25,2942].integers,dim=-1).dense",
    "cummax(input=i16[900,1000].integers,dim=-1).dense",
    "cummax(input=bf16[900,1000].integers,dim=-1).dense",
    "corner_pool(input=f32[5,4,256,256],mode=0).dense",
    "corner_pool(input=f32[5,4,256,256],mode=3).dense",
    "avg_pool2d(input=f32[2,40,112,128],kernel_size=[3,3],stride=[1,1],padding=[1,1]).dense",
    "max_pool2d(input=bf16[2,90,113,129].special,kernel_size=[3,3],stride=[1,1],padding=[1,1]).dense",
    "avg_pool2d(input=f32[1,90,113,128].channels_last,kernel_size=[3,3],stride=[1,1],padding=[1,1]).dense",
    "avg_pool2d(input=bf16[1,400,90,75].special.channels_last,kernel_size=[2,3],stride=[1,1],padding=[0,1]).dense",
    "max_pool2d(input=f16[2,173,57,129].special.channels_last,kernel_size=[3,2],stride=[1,1],padding=[1,1]).dense",
    "max_pool2d(input=f32[2,37,170,115].channels_last,kernel_size=[2,2],stride=[1,1],dilation=[1,2]).dense",
    "max_pool2d(input=f32[1,75,250,258].special,kernel_size=[3,3],stride=[2,2],padding=[1,1]).dense",
    "avg_pool2d(input=f32[1,75,250,258].channels_last,kernel_size=[3,2],stride=[2,2],padding=[1,0]).dense",
    "max_pool2d_backward(grad_output=f32[1,80,56,64],input=f32[1,80,112,128].integers,kernel_size=[2,2]).dense",
    "max_pool2d_backward(grad_output=f32[2,40,54,272],input=f32[2,40,54,272].special,kernel_size=[3,3],stride=[1,1],padding=[1,1]).dense",
    "grid_sampler(input=f32[1,80,30,40],grid=f32[1,120,120,2]).dense",
]


@pytest.mark.cpu_kernels
@pytest.mark.parametrize("line", LINES)
def test_every_instruction_set_streams(line):
    case = parse_case(line)
    wrong = {name: verdict.message for name, verdict in judge(case, "cpu").items() if not verdict.ok}
    assert not wrong, f"{wrong}\nrerun: {rerun_line(case, 'cpu')}"
