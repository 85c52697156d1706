MemcpyHtoD,0x00007f1c10000000,4096
kernel-1.traceg
MemcpyHtoD,0x00007f1c10001000,4096
kernel-2-ctx_0x6165.traceg.xz
