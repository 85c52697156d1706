# The kernels: plain C, compiled by clang for the GPU and embedded by src/device/images.c.
#
# sm_35 is the lowest NVIDIA target: the first GPUs with the read-only path (ld.global.nc); every newer
# GPU accepts its PTX. ptxas compiles it to machine code for the GPUs that it supports, so that no driver
# has to compile before a measurement.
kernel_sources = kernels/all.c kernels/amdgcn.h kernels/args.h kernels/atomics.c kernels/bandwidth.c \
	kernels/banks.c kernels/bulk.c kernels/census.c kernels/census_order.h kernels/chain.h kernels/chase.c kernels/chase.h \
	kernels/cluster.c kernels/conflicts.c kernels/constant_groups.c kernels/copies.c kernels/filler.c kernels/gpu.h \
	kernels/jumps.c kernels/lanes.h kernels/marks.c kernels/nvptx.h kernels/outstanding.c \
	kernels/pair.c kernels/rounds.c kernels/shares.c kernels/sharing_groups.c kernels/side_by_side.h kernels/slices.c \
	kernels/store.c kernels/stream.c kernels/sweep.c kernels/system.c \
	kernels/ticket.h kernels/trace.c kernels/trace.h kernels/under_load.c
NVPTX_ARCH = 35
NVPTX_FLAGS = --target=nvptx64-nvidia-cuda -march=sm_$(NVPTX_ARCH) --cuda-path=/nonexistent \
	-std=gnu11 -Wall -Wextra $(WERROR_CFLAGS) -O2 -ffreestanding -nogpulib -nostdlib

# Code objects for AMD GPUs: HIP has no compiler at run time. Every ROCm from 5 on loads version 4; generic
# targets need version 6.
AMDGCN_FLAGS = --target=amdgcn-amd-amdhsa -mcumode -std=gnu11 -Wall -Wextra $(WERROR_CFLAGS) -O2 \
	-ffreestanding -nogpulib -nostdlib

if HAVE_AMD_IMAGES
if GFX12_NEEDS_WAITS
GFX12_FILTER = $(AWK) -f '$(srcdir)/kernels/gfx12-waits.awk'
else
GFX12_FILTER = cat
endif

$(AMD_IMAGES): $(kernel_sources) kernels/gfx12-waits.awk
	$(AM_V_GEN)$(MKDIR_P) kernels && processor=`echo '$@' | sed 's,.*/amd\.\(.*\)\.image$$,\1,'` && \
	case $$processor in \
	*-generic) version='-Xclang -mcode-object-version=6' ;; \
	*) version=-mcode-object-version=4 ;; \
	esac && \
	case $$processor in \
	gfx12*) \
	  $(AMD_CLANG) $(AMDGCN_FLAGS) -mcpu=$$processor $$version -S -x c -o $@.raw '$(srcdir)/kernels/all.c' && \
	  $(GFX12_FILTER) $@.raw >$@.s && \
	  $(AMD_CLANG) --target=amdgcn-amd-amdhsa -mcumode -mcpu=$$processor -c -o $@.o $@.s ;; \
	*) $(AMD_CLANG) $(AMDGCN_FLAGS) -mcpu=$$processor $$version -c -x c -o $@.o '$(srcdir)/kernels/all.c' ;; \
	esac && \
	$(LLD) -shared -s -o $@ $@.o && rm -f $@.o $@.s $@.raw
endif

EXTRA_DIST += $(kernel_sources) kernels/gfx12-waits.awk
CLEANFILES += kernels/cuda.ptx kernels/cuda.image kernels/cuda.sm_*.cubin kernels/cuda.sm_*.ptxas \
	kernels/bulk.ptx kernels/bulk.image kernels/bulk.sm_*.cubin kernels/bulk.sm_*.ptxas \
	kernels/copies.ptx kernels/copies.image kernels/copies.sm_*.cubin kernels/copies.sm_*.ptxas \
	kernels/filler.ptx kernels/filler.image kernels/filler.sm_*.cubin kernels/filler.sm_*.ptxas \
	kernels/cluster.ptx kernels/cluster.image kernels/cluster.sm_*.cubin kernels/cluster.sm_*.ptxas \
	kernels/jumps.ptx kernels/jumps.image kernels/jumps.sm_*.cubin kernels/jumps.sm_*.ptxas \
	kernels/system.ptx kernels/system.image kernels/system.sm_*.cubin kernels/system.sm_*.ptxas \
	kernels/trace.ptx kernels/trace.image kernels/trace.sm_*.cubin kernels/trace.sm_*.ptxas kernels/amd.*.image

kernels/cuda.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@ '$(srcdir)/kernels/all.c'

kernels/filler.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@ '$(srcdir)/kernels/filler.c'

kernels/copies.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@ '$(srcdir)/kernels/copies.c'

# Clusters came with sm_90. clang only passes their instructions on, so it need not know that target.
CLUSTER_ARCH = 90
kernels/cluster.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@.old '$(srcdir)/kernels/cluster.c' && \
	sed -e 's/^\.version .*/.version 7.8/' -e 's/^\.target .*/.target sm_$(CLUSTER_ARCH)/' $@.old >$@ && \
	rm -f $@.old

# So did bulk copies. They are written for PTX 8.6 (CUDA 12.7): code for sm_120 from the older form tests
# before each copy to which block it goes.
kernels/bulk.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@.old '$(srcdir)/kernels/bulk.c' && \
	sed -e 's/^\.version .*/.version 8.6/' -e 's/^\.target .*/.target sm_$(CLUSTER_ARCH)/' $@.old >$@ && \
	rm -f $@.old

# The scope of atomic operations came with sm_60.
kernels/system.ptx kernels/system.image: NVPTX_ARCH = 60
kernels/system.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@ '$(srcdir)/kernels/system.c'

kernels/jumps.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@ '$(srcdir)/kernels/jumps.c'

# Functions that the Sanitizer API calls in the kernels of others. Their instructions came with sm_70;
# clang only passes them on.
TRACE_ARCH = 70
kernels/trace.ptx: $(kernel_sources)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	$(CLANG) $(NVPTX_FLAGS) -S -x c -o $@.old '$(srcdir)/kernels/trace.c' && \
	sed -e 's/^\.version .*/.version 6.4/' -e 's/^\.target .*/.target sm_$(TRACE_ARCH)/' $@.old >$@ && \
	rm -f $@.old

# tests/kernels reads what ptxas reports of each kernel (registers, stack, spills).
if HAVE_PTXAS
make_image = images=; for arch in $(CUBIN_ARCHS); do \
	  test $$arch -ge $$least || continue; \
	  out=$$name.sm_$$arch; \
	  $(PTXAS) $$options -v -arch=sm_$$arch -o $$out.cubin $$name.ptx >$$out.ptxas 2>&1 || \
	    { cat $$out.ptxas >&2; exit 1; }; \
	  images="$$images --image3=kind=elf,sm=$$arch,file=$$out.cubin"; \
	done; \
	$(FATBINARY) --create $$name.image -64 --compress-all $$images $$ptx
with_ptx = options= && ptx=--image3=kind=ptx,sm=$$least,file=$$name.ptx && $(make_image)
else
with_ptx = cp $$name.ptx $$name.image
endif

kernels/cuda.image: kernels/cuda.ptx
	$(AM_V_GEN)name=kernels/cuda least=$(NVPTX_ARCH); $(with_ptx)

kernels/filler.image: kernels/filler.ptx
	$(AM_V_GEN)name=kernels/filler least=$(NVPTX_ARCH); $(with_ptx)

kernels/copies.image: kernels/copies.ptx
	$(AM_V_GEN)name=kernels/copies least=$(NVPTX_ARCH); $(with_ptx)

kernels/cluster.image: kernels/cluster.ptx
	$(AM_V_GEN)name=kernels/cluster least=$(CLUSTER_ARCH); $(with_ptx)

# Older compilers than that PTX know no sm_100.
kernels/bulk.image: kernels/bulk.ptx
if HAVE_PTXAS
	$(AM_V_GEN)name=kernels/bulk least=$(CLUSTER_ARCH); \
	if $(PTXAS) --help | grep -q sm_100; then $(with_ptx); else cp $$name.ptx $$name.image; fi
else
	$(AM_V_GEN)name=kernels/bulk; $(with_ptx)
endif

kernels/system.image: kernels/system.ptx
	$(AM_V_GEN)name=kernels/system least=$(NVPTX_ARCH); $(with_ptx)

# A driver cannot compile such functions from PTX (src/trace/image.h).
kernels/trace.image: kernels/trace.ptx
if HAVE_PTXAS
	$(AM_V_GEN)name=kernels/trace least=$(TRACE_ARCH); options=--compile-as-tools-patch; ptx=; $(make_image)
else
	$(AM_V_GEN): >$@
endif

# Without optimizations ptxas keeps the layout of the code, which is measured. No PTX: a driver would
# lay it out differently. Without ptxas the image is empty.
kernels/jumps.image: kernels/jumps.ptx
if HAVE_PTXAS
	$(AM_V_GEN)name=kernels/jumps least=$(NVPTX_ARCH); options=-O0; ptx=; $(make_image)
else
	$(AM_V_GEN): >$@
endif
