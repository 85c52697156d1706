# SPDX-License-Identifier: BSD-3-Clause
# Kernels of PyTorch and Triton, each named by a line; a checksum of each result.
import sys
import torch
import torch.nn.functional as F
torch.manual_seed(1)
d = "cuda"
torch.backends.cuda.matmul.allow_tf32 = False
def show(name, t): print(name, t.double().sum().item(), flush=True)
x = torch.randn(4096, 1024, device=d)
show("softmax", torch.softmax(x, 1))
show("layernorm", F.layer_norm(x, (1024,)))
w = torch.randn(50000, 256, device=d)
i = torch.randint(0, 50000, (16384,), device=d)
show("embedding", F.embedding(i, w))
im = torch.randn(16, 64, 56, 56, device=d); k = torch.randn(64, 64, 3, 3, device=d)
show("convolution", F.conv2d(im, k, padding=1))
q, kk, v = (torch.randn(4, 8, 1024, 64, device=d, dtype=torch.float16) for _ in range(3))
show("attention", F.scaled_dot_product_attention(q, kk, v))
a = torch.randn(1024, 1024, device=d, dtype=torch.bfloat16)
show("matmul", a @ a)
if "triton" in sys.argv:
    import triton, triton.language as tl
    @triton.jit
    def rows(x, y, n, B: tl.constexpr):
        r = tl.program_id(0); c = tl.arange(0, B)
        v = tl.load(x + r * n + c)
        tl.store(y + r * n + c, v - tl.max(v, 0))
    y = torch.empty_like(x)
    rows[(4096,)](x, y, 1024, B=1024)
    show("triton", y)
