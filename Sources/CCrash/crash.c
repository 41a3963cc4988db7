/* One last line of the log from a thread that crashed. Within the handler nothing is called that is not safe in one
 * (signal-safety(7)) but backtrace(3), which is once it has been called before. */
#define _GNU_SOURCE /* dl_iterate_phdr() */

#include "CCrash.h"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MOST_MODULES 96
#define MOST_FRAMES 48
#define LINE_SIZE 8192
#define STACK_SIZE (64 * 1024)

struct module {
    uintptr_t first, end; /* addresses */
    uintptr_t base;
    char name[64]; /* without its folder */
};

static struct module modules[MOST_MODULES];
static size_t module_count;
static struct {
    int descriptor;
    bool json, priorities;
} out;
static atomic_flag is_told = ATOMIC_FLAG_INIT;
static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT };

static _Thread_local struct {
    const char *method, *route, *type;
    struct crash_code code;
    bool is_prepared;
} serving;

/* ------------------------------------------------------------------------------- a stack for the handler */

static pthread_key_t stack_key;
static bool has_stacks; /* set before other threads are there */

static void drop_stack (void *stack)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    (void) sigaltstack (&none, NULL);
    (void) munmap (stack, STACK_SIZE);
}

/* A thread whose stack is full has no room for the handler: it gets one of its own (sigaltstack(2)), until the thread ends. One that
 * has one already, as under a sanitizer, keeps it; without memory, that thread's overflow leaves no line. */
static void prepare_thread (void)
{
    serving.is_prepared = true;
    stack_t known;
    if (!has_stacks || 0 != sigaltstack (NULL, &known) || 0 == (known.ss_flags & SS_DISABLE))
        return;
    void *const stack = mmap (NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == stack)
        return;
    const stack_t own = { .ss_sp = stack, .ss_size = STACK_SIZE };
    if (0 != pthread_setspecific (stack_key, stack) || 0 != sigaltstack (&own, NULL)) {
        (void) pthread_setspecific (stack_key, NULL);
        (void) munmap (stack, STACK_SIZE);
    }
}

void crash_set_route (const char *method, const char *route)
{
    if (!serving.is_prepared)
        prepare_thread ();
    serving.method = method;
    serving.route = route;
}

struct crash_code crash_set_code (struct crash_code code)
{
    if (!serving.is_prepared)
        prepare_thread ();
    const struct crash_code former = serving.code;
    serving.code = code;
    return former;
}

const char *crash_set_type (const char *type)
{
    const char *const former = serving.type;
    serving.type = type;
    return former;
}

/* ------------------------------------------------------------------------------------------ the line */

struct line {
    char text[LINE_SIZE];
    size_t length;
};

static void put (struct line *line, const char *text)
{
    const size_t length = strlen (text);
    if (length > sizeof line->text - line->length)
        return;
    memcpy (line->text + line->length, text, length);
    line->length += length;
}

static void put_number (struct line *line, uint64_t number, unsigned base, unsigned digits)
{
    char text[24];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (at > 0 && (number > 0 || sizeof text - 1 - at < digits));
    put (line, text + at);
}

/* The date of a day counted from 1970-01-01 (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static void put_date (struct line *line, int64_t day)
{
    const int64_t shifted = day + 719468;
    const int64_t era = shifted / 146097;
    const unsigned of_era = (unsigned) (shifted - era * 146097);
    const unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted_month = (5 * of_year + 2) / 153;
    const unsigned month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    put_number (line, (uint64_t) (year_of_era + era * 400 + (month <= 2)), 10, 4);
    put (line, "-");
    put_number (line, month, 10, 2);
    put (line, "-");
    put_number (line, of_year - (153 * shifted_month + 2) / 5 + 1, 10, 2);
}

static void put_time (struct line *line)
{
    struct timespec now;
    if (0 != clock_gettime (CLOCK_REALTIME, &now))
        now = (struct timespec){ 0, 0 };
    const uint64_t second = (uint64_t) now.tv_sec % 86400;
    put_date (line, now.tv_sec / 86400);
    put (line, "T");
    put_number (line, second / 3600, 10, 2);
    put (line, ":");
    put_number (line, second / 60 % 60, 10, 2);
    put (line, ":");
    put_number (line, second % 60, 10, 2);
    put (line, ".");
    put_number (line, (uint64_t) now.tv_nsec / 1000000, 10, 3);
    put (line, "Z");
}

/* None of the texts has anything that JSON would escape. */
static void put_field (struct line *line, const char *name, const char *text)
{
    if (NULL == text)
        return;
    put (line, out.json ? ",\"" : " ");
    put (line, name);
    put (line, out.json ? "\":\"" : "=");
    put (line, text);
    put (line, out.json ? "\"" : "");
}

static void put_frame (struct line *line, uintptr_t address)
{
    for (size_t i = 0; i < module_count; i++) {
        if (address < modules[i].first || address >= modules[i].end)
            continue;
        put (line, modules[i].name);
        put (line, "+");
        address -= modules[i].base;
        break;
    }
    put (line, "0x");
    put_number (line, address, 16, 1);
}

static void put_frames (struct line *line)
{
    void *frames[MOST_FRAMES];
    const int count = backtrace (frames, MOST_FRAMES);
    put (line, out.json ? ",\"frames\":[" : " frames=");
    /* The first are this handler's. */
    for (int i = 0; i < count; i++) {
        put (line, i == 0 ? "" : ",");
        put (line, out.json ? "\"" : "");
        put_frame (line, (uintptr_t) frames[i]);
        put (line, out.json ? "\"" : "");
    }
    put (line, out.json ? "]" : "");
}

static const char *name_of (int number)
{
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGFPE: return "SIGFPE";
    default: return "SIGABRT";
    }
}

static void tell (int number, const siginfo_t *information)
{
    static struct line line; /* one thread tells */
    char thread[17] = "";
    (void) prctl (PR_GET_NAME, thread);
    if (out.priorities)
        put (&line, "<2>");
    put (&line, out.json ? "{\"time\":\"" : "");
    put_time (&line);
    put (&line, out.json ? "\",\"level\":\"critical\",\"event\":\"crashed\"" : " critical crashed");
    put_field (&line, "signal", name_of (number));
    /* One that somebody sent has who sent it in the address's place (sigaction(2), "si_code"). */
    if ((SIGSEGV == number || SIGBUS == number) && information->si_code > 0) {
        put (&line, out.json ? ",\"address\":\"0x" : " address=0x");
        put_number (&line, (uintptr_t) information->si_addr, 16, 1);
        put (&line, out.json ? "\"" : "");
    }
    put_field (&line, "thread", thread);
    put_field (&line, "method", serving.method);
    put_field (&line, "route", serving.route);
    put_field (&line, "type", serving.type);
    put_field (&line, "viewModel", serving.code.view_model);
    put_field (&line, "action", serving.code.action);
    put_field (&line, "sessionId", 0 == serving.code.session[0] ? NULL : (const char *) serving.code.session);
    put_frames (&line);
    put (&line, out.json ? "}\n" : "\n");
    ssize_t count = write (out.descriptor, line.text, line.length);
    (void) count;
}

static void crashed (int number, siginfo_t *information, void *context)
{
    (void) context;
    if (!atomic_flag_test_and_set (&is_told))
        tell (number, information);
    /* Done again where it came from, or here where somebody sent it. */
    (void) signal (number, SIG_DFL);
    (void) raise (number);
}

/* ----------------------------------------------------------------------------------------- the start */

static int note_module (struct dl_phdr_info *information, size_t size, void *context)
{
    (void) size;
    (void) context;
    if (module_count == MOST_MODULES)
        return 1;
    struct module *const module = &modules[module_count];
    const char *const slash = strrchr (information->dlpi_name, '/');
    const char *const name = NULL == slash ? information->dlpi_name : slash + 1;
    *module = (struct module){ .first = UINTPTR_MAX, .base = information->dlpi_addr };
    /* The program itself has no name. */
    strncpy (module->name, '\0' == *name ? "program" : name, sizeof module->name - 1);
    for (size_t i = 0; i < information->dlpi_phnum; i++) {
        const ElfW (Phdr) *const part = &information->dlpi_phdr[i];
        if (PT_LOAD != part->p_type)
            continue;
        const uintptr_t first = information->dlpi_addr + part->p_vaddr;
        if (first < module->first)
            module->first = first;
        if (first + part->p_memsz > module->end)
            module->end = first + part->p_memsz;
    }
    module_count += module->end > 0;
    return 0;
}

void crash_report_to (int descriptor, bool json, bool priorities)
{
    void *frame[1];
    out.descriptor = descriptor;
    out.json = json;
    out.priorities = priorities;
    (void) backtrace (frame, 1); /* loads what it needs, which is not to be done in a handler */
    (void) dl_iterate_phdr (&note_module, NULL);
    if (!has_stacks)
        has_stacks = 0 == pthread_key_create (&stack_key, &drop_stack);
    struct sigaction action = { .sa_sigaction = &crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    (void) sigfillset (&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void) sigaction (numbers[i], &action, NULL);
}
