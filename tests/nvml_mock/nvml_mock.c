/* A stand-in for the NVIDIA driver's management library, for tests and for the demonstration mode.
 *
 * Built as libnvidia-ml.so.1 and found through LD_LIBRARY_PATH, it is loaded by the real nvidia-ml-py, so the
 * real ctypes path runs. What it answers comes from the text file named by GPU_PLANNER_NVML_SCENARIO:
 *
 *     driver = 550.54.14          # lines before the first [gpu] belong to the system
 *     cuda = 12040                # 12.4
 *     fail.nvmlInitWithFlags = 18 # any function: the error it returns
 *     [gpu]                       # one section per GPU
 *     name = NVIDIA GeForce RTX 3090
 *     memory_total_mib = 24576
 *     power_w = 180 90 12         # base, swing, period in s: base + swing · sin(2 π t / period)
 *     fail.nvmlDeviceGetTemperature = 3
 *     hang = nvmlDeviceGetPowerUsage     # this function never returns
 *     crash = nvmlDeviceGetClockInfo     # this one ends in a segmentation fault
 *     stub = 1                           # (system) print what the CUDA toolkit's stub library prints
 *     [mig]                       # a slice of the GPU above, with keys of its own; that GPU needs "mig = 1"
 *
 * A key that is missing makes its function answer "not supported" (3), as real drivers do. In values, \xNN is
 * one byte. Compiled with -DOLD_DRIVER the library lacks the symbols that drivers before 510 lack.
 * Structures and error numbers are those of NVIDIA's public nvml.h.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };
enum { MAX_GPUS = 16, MAX_KEYS = 64, MAX_TEXT = 160 };

typedef struct {
    char key[MAX_TEXT], value[MAX_TEXT];
} Entry;

typedef struct Section {
    Entry entries[MAX_KEYS];
    int count;
    struct Section *parent; /* of a MIG slice: its card */
} Section;

typedef struct {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
} PciInfo;

typedef struct {
    unsigned long long total, free, used;
} Memory;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} MemoryV2;

typedef struct {
    unsigned gpu, memory;
} Utilization;

typedef struct {
    unsigned pid;
    unsigned long long used_gpu_memory;
    unsigned gpu_instance, compute_instance;
} Process;

static Section machine, gpus[MAX_GPUS], slices[MAX_GPUS];
static unsigned gpu_count, slice_count;

static char *trimmed(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1])) text[--length] = 0;
    return text;
}

static void unescape(char *to, const char *from) {
    size_t length = 0;
    while (*from && length < MAX_TEXT - 1) {
        unsigned byte;
        if (sscanf(from, "\\x%2x", &byte) == 1) {
            to[length++] = (char)byte;
            from += 4;
        } else {
            to[length++] = *from++;
        }
    }
    to[length] = 0;
}

static int read_scenario(void) {
    const char *path = getenv("GPU_PLANNER_NVML_SCENARIO");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) return 0;
    Section *section = &machine;
    char line[512];
    machine.count = 0;
    gpu_count = slice_count = 0;
    while (fgets(line, sizeof line, file)) {
        char *comment = strchr(line, '#');
        if (comment) *comment = 0;
        char *text = trimmed(line), *equals = strchr(text, '=');
        if (strcmp(text, "[gpu]") == 0 && gpu_count < MAX_GPUS) {
            section = &gpus[gpu_count++];
            section->count = 0;
        } else if (strcmp(text, "[mig]") == 0 && gpu_count > 0 && slice_count < MAX_GPUS) {
            section = &slices[slice_count++];
            section->count = 0;
            section->parent = &gpus[gpu_count - 1];
        } else if (equals && section->count < MAX_KEYS) {
            *equals = 0;
            Entry *entry = &section->entries[section->count++];
            snprintf(entry->key, MAX_TEXT, "%s", trimmed(text));
            unescape(entry->value, trimmed(equals + 1));
        }
    }
    fclose(file);
    return 1;
}

static const char *find(const Section *section, const char *key) {
    for (int i = 0; i < section->count; i++)
        if (strcmp(section->entries[i].key, key) == 0) return section->entries[i].value;
    return NULL;
}

static int names(const Section *section, const char *key, const char *function) {
    const char *value = find(section, key);
    return value && strcmp(value, function) == 0;
}

/* What the scenario wants to go wrong in this function: hang, crash or an error number. */
static int trouble(const Section *section, const char *function) {
    if (names(section, "hang", function))
        for (;;) pause();
    if (names(section, "crash", function)) raise(SIGSEGV);
    char key[MAX_TEXT];
    snprintf(key, sizeof key, "fail.%s", function);
    const char *error = find(section, key);
    if (!error && section != &machine) error = find(section, "fail.all");
    return error ? atoi(error) : SUCCESS;
}

static int number(const Section *section, const char *key, double *value) {
    const char *text = find(section, key);
    double base, swing = 0, period_s = 1;
    if (!text || sscanf(text, "%lf %lf %lf", &base, &swing, &period_s) < 1) return NOT_SUPPORTED;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double t_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    *value = base + swing * sin(2 * 3.14159265358979 * t_s / period_s);
    return SUCCESS;
}

static int whole(const Section *section, const char *function, const char *key, double scale, unsigned *value) {
    double real = 0;
    int error = trouble(section, function);
    if (!error) error = number(section, key, &real);
    if (!error) *value = (unsigned)(real * scale + 0.5);
    return error;
}

static int text(const Section *section, const char *function, const char *key, char *to, unsigned length) {
    int error = trouble(section, function);
    const char *value = find(section, key);
    if (error) return error;
    if (!value) return NOT_SUPPORTED;
    if (strlen(value) >= length) return INSUFFICIENT_SIZE;
    strcpy(to, value);
    return SUCCESS;
}

/* ---- the system ---- */

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    if (!read_scenario()) return 9; /* driver not loaded */
    if (find(&machine, "stub"))
        puts("WARNING: You should always run with libnvidia-ml.so that is installed with your NVIDIA Display Driver.");
    fflush(stdout);
    return trouble(&machine, "nvmlInitWithFlags");
}

int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) { return trouble(&machine, "nvmlShutdown"); }
const char *nvmlErrorString(int error) { return error == 999 ? "Unknown Error" : "mock error"; }

int nvmlSystemGetDriverVersion(char *to, unsigned length) {
    return text(&machine, "nvmlSystemGetDriverVersion", "driver", to, length);
}

static int cuda_version(int *version) {
    unsigned value = 0;
    int error = whole(&machine, "nvmlSystemGetCudaDriverVersion", "cuda", 1, &value);
    *version = (int)value;
    return error;
}

int nvmlSystemGetCudaDriverVersion(int *version) { return cuda_version(version); }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { return cuda_version(version); }

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = gpu_count;
    return trouble(&machine, "nvmlDeviceGetCount_v2");
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Section **handle) {
    if (index >= gpu_count) return INVALID_ARGUMENT;
    *handle = &gpus[index];
    return trouble(*handle, "nvmlDeviceGetHandleByIndex_v2");
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Section **handle) {
    for (unsigned i = 0; i < gpu_count; i++)
        if (names(&gpus[i], "uuid", uuid)) {
            *handle = &gpus[i];
            return trouble(*handle, "nvmlDeviceGetHandleByUUID");
        }
    for (unsigned i = 0; i < slice_count; i++)
        if (names(&slices[i], "uuid", uuid)) {
            *handle = &slices[i];
            return SUCCESS;
        }
    return NOT_FOUND;
}

/* ---- one GPU ---- */

int nvmlDeviceGetName(Section *gpu, char *to, unsigned length) {
    return text(gpu, "nvmlDeviceGetName", "name", to, length);
}

int nvmlDeviceGetUUID(Section *gpu, char *to, unsigned length) {
    return text(gpu, "nvmlDeviceGetUUID", "uuid", to, length);
}

int nvmlDeviceGetPciInfo_v3(Section *gpu, PciInfo *info) {
    int error = trouble(gpu, "nvmlDeviceGetPciInfo_v3");
    const char *bus_id = find(gpu, "pci_bus_id"), *device = find(gpu, "pci_device_id");
    if (error) return error;
    if (!bus_id || !device) return NOT_SUPPORTED;
    memset(info, 0, sizeof *info);
    snprintf(info->bus_id, sizeof info->bus_id, "%s", bus_id);
    info->pci_device_id = (unsigned)strtoul(device, NULL, 16) << 16 | 0x10DE;
    return SUCCESS;
}

static int memory(Section *gpu, const char *function, unsigned long long *total, unsigned long long *used) {
    double total_mib = 0, used_mib = 0;
    int error = trouble(gpu, function);
    if (!error) error = number(gpu, "memory_total_mib", &total_mib);
    if (!error) error = number(gpu, "memory_used_mib", &used_mib);
    *total = (unsigned long long)(total_mib * 1048576);
    *used = (unsigned long long)(used_mib * 1048576);
    return error;
}

int nvmlDeviceGetMemoryInfo(Section *gpu, Memory *info) {
    int error = memory(gpu, "nvmlDeviceGetMemoryInfo", &info->total, &info->used);
    info->free = info->total - info->used;
    return error;
}

int nvmlDeviceGetCudaComputeCapability(Section *gpu, int *major, int *minor) {
    int error = trouble(gpu, "nvmlDeviceGetCudaComputeCapability");
    const char *value = find(gpu, "compute_capability");
    if (error) return error;
    return value && sscanf(value, "%d.%d", major, minor) == 2 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetUtilizationRates(Section *gpu, Utilization *rates) {
    rates->memory = 0;
    return whole(gpu, "nvmlDeviceGetUtilizationRates", "utilisation_percent", 1, &rates->gpu);
}

int nvmlDeviceGetClockInfo(Section *gpu, unsigned clock, unsigned *mhz) {
    const char *key = clock == 2 ? "memory_clock_mhz" : "sm_clock_mhz";
    return whole(gpu, "nvmlDeviceGetClockInfo", key, 1, mhz);
}

#define WHOLE(FUNCTION, KEY, SCALE) \
    int FUNCTION(Section *gpu, unsigned *value) { return whole(gpu, #FUNCTION, KEY, SCALE, value); }

WHOLE(nvmlDeviceGetPowerUsage, "power_w", 1000)
WHOLE(nvmlDeviceGetEnforcedPowerLimit, "power_limit_w", 1000)
WHOLE(nvmlDeviceGetPowerManagementDefaultLimit, "power_limit_default_w", 1000)
WHOLE(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_generation", 1)
WHOLE(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width", 1)
WHOLE(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_max_generation", 1)
WHOLE(nvmlDeviceGetMaxPcieLinkWidth, "pcie_max_width", 1)
WHOLE(nvmlDeviceGetDisplayActive, "display_active", 1)
WHOLE(nvmlDeviceGetPerformanceState, "performance_state", 1)

int nvmlDeviceGetMaxClockInfo(Section *gpu, unsigned clock, unsigned *mhz) {
    const char *key = clock == 2 ? "max_memory_clock_mhz" : "max_sm_clock_mhz";
    return whole(gpu, "nvmlDeviceGetMaxClockInfo", key, 1, mhz);
}

int nvmlDeviceGetDriverModel_v2(Section *gpu, unsigned *current, unsigned *pending) {
    int error = whole(gpu, "nvmlDeviceGetDriverModel_v2", "driver_model", 1, current);
    *pending = *current;
    return error;
}

int nvmlDeviceGetVirtualizationMode(Section *gpu, unsigned long long *mode) {
    unsigned value = 0;
    int error = whole(gpu, "nvmlDeviceGetVirtualizationMode", "virtualization_mode", 1, &value);
    memcpy(mode, &value, sizeof value); /* an enumeration of 4 bytes in the real library */
    return error;
}

/* ---- health ---- */

WHOLE(nvmlDeviceGetComputeMode, "compute_mode", 1)
WHOLE(nvmlDeviceGetRetiredPagesPendingStatus, "retired_pages_pending", 1)

int nvmlDeviceGetRemappedRows(Section *gpu, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                              unsigned *failed) {
    *corrected = *uncorrected = *failed = 0;
    whole(gpu, "nvmlDeviceGetRemappedRows", "remap_failed", 1, failed);
    return whole(gpu, "nvmlDeviceGetRemappedRows", "remap_pending", 1, pending);
}

int nvmlDeviceGetTotalEccErrors(Section *gpu, unsigned type, unsigned counter, unsigned long long *count) {
    unsigned value = 0;
    const char *key = type == 1 && counter == 0 ? "ecc_uncorrected" : "ecc_other";
    int error = whole(gpu, "nvmlDeviceGetTotalEccErrors", key, 1, &value);
    *count = value;
    return error;
}

typedef struct {
    unsigned code, state;
    char license[128], product[128];
    unsigned enabled;
    struct {
        unsigned year;
        unsigned short month, day, hour, minute, second;
        unsigned char status;
    } expiry;
} GridFeature;

typedef struct {
    int supported;
    unsigned count;
    GridFeature features[3];
} GridFeatures;

int nvmlDeviceGetGridLicensableFeatures_v4(Section *gpu, GridFeatures *known) {
    unsigned licensed = 0;
    int error = whole(gpu, "nvmlDeviceGetGridLicensableFeatures_v4", "licensed", 1, &licensed);
    if (error) return error;
    memset(known, 0, sizeof *known);
    known->supported = known->count = 1;
    known->features[0].state = licensed;
    return SUCCESS;
}

/* ---- MIG: one GPU in fixed slices ---- */

static Section *slice_of(const Section *gpu, unsigned number) {
    for (unsigned i = 0; i < slice_count; i++)
        if (slices[i].parent == gpu && number-- == 0) return &slices[i];
    return NULL;
}

int nvmlDeviceGetMigMode(Section *gpu, unsigned *current, unsigned *pending) {
    int error = whole(gpu, "nvmlDeviceGetMigMode", "mig", 1, current);
    *pending = *current;
    return error;
}

int nvmlDeviceGetMaxMigDeviceCount(Section *gpu, unsigned *count) {
    *count = find(gpu, "mig") ? 7 : 0;
    return trouble(gpu, "nvmlDeviceGetMaxMigDeviceCount");
}

int nvmlDeviceGetMigDeviceHandleByIndex(Section *gpu, unsigned number, Section **handle) {
    *handle = slice_of(gpu, number);
    return *handle ? trouble(*handle, "nvmlDeviceGetMigDeviceHandleByIndex") : NOT_FOUND;
}

int nvmlDeviceGetTemperature(Section *gpu, unsigned sensor, unsigned *celsius) {
    (void)sensor;
    return whole(gpu, "nvmlDeviceGetTemperature", "temperature_c", 1, celsius);
}

static int processes(Section *gpu, const char *function, unsigned *count, Process *list) {
    unsigned there = 0, room = *count;
    int error = whole(gpu, function, "process_count", 1, &there);
    if (error) return error;
    *count = there;
    if (there == 0) return SUCCESS;
    if (room < there || !list) return INSUFFICIENT_SIZE;
    double pid = 4242, memory_mib = 1024;
    number(gpu, "process_pid", &pid);
    int told = number(gpu, "process_memory_mib", &memory_mib) == SUCCESS;
    unsigned long long bytes = (unsigned long long)(memory_mib * 1048576);
    if (told && memory_mib < 0) bytes = ~0ULL; /* NVML_VALUE_NOT_AVAILABLE, as on Windows */
    for (unsigned i = 0; i < there; i++) list[i] = (Process){(unsigned)pid + i, bytes, ~0U, ~0U};
    return SUCCESS;
}

static int throttle_reasons(Section *gpu, const char *function, unsigned long long *bits) {
    unsigned value = 0;
    int error = whole(gpu, function, "throttle_reasons", 1, &value);
    *bits = value;
    return error;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Section *gpu, unsigned long long *bits) {
    return throttle_reasons(gpu, "nvmlDeviceGetCurrentClocksThrottleReasons", bits);
}

#ifdef OLD_DRIVER
int nvmlDeviceGetComputeRunningProcesses(Section *gpu, unsigned *count, Process *list) {
    return processes(gpu, "nvmlDeviceGetComputeRunningProcesses", count, list);
}
#else
int nvmlDeviceGetMemoryInfo_v2(Section *gpu, MemoryV2 *info) {
    int error = memory(gpu, "nvmlDeviceGetMemoryInfo_v2", &info->total, &info->used);
    double reserved_mib = 0;
    number(gpu, "memory_reserved_mib", &reserved_mib);
    info->reserved = (unsigned long long)(reserved_mib * 1048576);
    info->free = info->total - info->reserved - info->used;
    return error;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Section *gpu, unsigned *count, Process *list) {
    return processes(gpu, "nvmlDeviceGetComputeRunningProcesses_v3", count, list);
}

int nvmlDeviceGetCurrentClocksEventReasons(Section *gpu, unsigned long long *bits) {
    return throttle_reasons(gpu, "nvmlDeviceGetCurrentClocksEventReasons", bits);
}
#endif
