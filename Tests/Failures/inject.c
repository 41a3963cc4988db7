/* Makes one call fail: a library to be preloaded before libc and libmicrohttpd.
 *
 * A call is named by its function and by the stack it comes from, as far as that lies in the program and in libmicrohttpd:
 * the same in every run of the same build, whichever thread comes first. Which calls there are is learned in a run without
 * failures; which one fails is said in a page that the test shares (control.py reads and writes it).
 *
 * Left out, since Linux never fails them for a valid descriptor: EPOLL_CTL_DEL, and EAGAIN where the socket has something
 * or has room, which would promise an edge that never comes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#if MHD_VERSION >= 0x00097701
#define BUFFER_COPY(F) F (MHD_create_response_from_buffer_copy)
#define LENT const void *
#else
#define BUFFER_COPY(F)
#define LENT void *
#endif

/* Every function that is made to fail: F (name). */
#define FUNCTIONS(F)                                                                                                       \
    F (malloc) F (calloc) F (realloc) F (epoll_create1) F (epoll_ctl) F (epoll_wait) F (eventfd) F (accept4) F (socket)     \
    F (bind) F (listen) F (getsockname) F (setsockopt) F (sendto) F (recvfrom) F (sendmsg) F (fcntl) F (ioctl)                         \
    F (shutdown) F (close) F (read) F (write) F (pthread_create) F (pthread_mutex_init) F (pthread_cond_init)              \
    F (pthread_condattr_init) F (pthread_condattr_setclock) F (pthread_sigmask) F (pthread_setname_np) F (getrandom)       \
    F (clock_gettime) F (getrlimit) F (setrlimit) F (sysconf) F (gmtime_r) F (MHD_start_daemon) F (MHD_add_connection)     \
    F (MHD_create_response_from_buffer) BUFFER_COPY (F)                                                                    \
    F (MHD_create_response_from_buffer_with_free_callback_cls) F (MHD_create_response_from_callback)                       \
    F (MHD_add_response_header) F (MHD_queue_response) F (MHD_set_response_options) F (MHD_get_daemon_info)                \
    F (MHD_get_connection_info) F (MHD_get_timeout) F (MHD_run)

#define NUMBER(name) FUNCTION_##name,
enum function { FUNCTIONS (NUMBER) FUNCTION_COUNT };

#define MOST_FRAMES 14
#define MOST_LEARNED 4096
#define MOST_FUNCTIONS 64

struct learned {
    uint64_t stack;
    uint32_t function;
    uint32_t phase;
    uint32_t count;
    uint32_t depth;
    uint64_t frames[MOST_FRAMES]; /* the module's number in the top byte, the offset in it below */
};

enum mode { MODE_OFF = 0, MODE_LEARN = 1, MODE_FAIL = 2 };

/* control.py has the same layout. */
struct control {
    _Atomic uint32_t mode;
    uint32_t function;
    uint64_t stack;
    uint32_t times;
    int32_t error;
    uint32_t phase;
    _Atomic uint32_t failed;
    _Atomic int64_t blocks; /* allocated and not freed */
    _Atomic uint32_t learned_count;
    char names[MOST_FUNCTIONS][64];
    struct learned learned[MOST_LEARNED];
};

static struct control *control;
static pthread_mutex_t learning = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool busy; /* what the injector itself calls is not counted */

/* ------------------------------------------------------------------------------------------ the stack */

static struct module {
    uintptr_t base, first, last;
} modules[2]; /* the program, libmicrohttpd */

static int take_module (struct dl_phdr_info *info, size_t size, void *context)
{
    const bool is_program = '\0' == info->dlpi_name[0];
    (void) size;
    (void) context;
    if (!is_program && NULL == strstr (info->dlpi_name, "libmicrohttpd"))
        return 0;
    struct module *const module = &modules[is_program ? 0 : 1];
    module->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *const part = &info->dlpi_phdr[i];
        if (PT_LOAD != part->p_type || 0 == (part->p_flags & PF_X))
            continue;
        module->first = info->dlpi_addr + part->p_vaddr;
        module->last = module->first + part->p_memsz;
    }
    return 0;
}

struct stack {
    uint64_t hash;
    uint32_t depth;
    uint64_t frames[MOST_FRAMES];
};

static _Unwind_Reason_Code take_frame (struct _Unwind_Context *context, void *pointer)
{
    struct stack *const stack = pointer;
    const uintptr_t address = _Unwind_GetIP (context);
    for (uint64_t i = 0; i < 2; i++) {
        if (address < modules[i].first || address >= modules[i].last)
            continue;
        const uint64_t frame = (i + 1) << 56 | (address - modules[i].base);
        stack->hash = (stack->hash ^ frame) * UINT64_C (0x100000001b3);
        if (stack->depth < MOST_FRAMES)
            stack->frames[stack->depth++] = frame;
    }
    return _URC_NO_REASON;
}

static void take_stack (struct stack *stack)
{
    memset (stack, 0, sizeof *stack);
    stack->hash = UINT64_C (0xcbf29ce484222325);
    (void) _Unwind_Backtrace (&take_frame, stack);
}

/* ----------------------------------------------------------------------------------------- the decision */

static void learn (enum function function, const struct stack *stack)
{
    (void) pthread_mutex_lock (&learning);
    uint32_t i = 0;
    const uint32_t count = control->learned_count;
    for (; i < count; i++)
        if (control->learned[i].stack == stack->hash && control->learned[i].function == function
            && control->learned[i].phase == control->phase)
            break;
    if (i < MOST_LEARNED) {
        struct learned *const learned = &control->learned[i];
        if (i == count) {
            *learned = (struct learned){ stack->hash, function, control->phase, 0, stack->depth, { 0 } };
            memcpy (learned->frames, stack->frames, sizeof learned->frames);
            control->learned_count = count + 1;
        }
        learned->count += 1;
    }
    (void) pthread_mutex_unlock (&learning);
}

#define REAL(name) static __typeof__ (&name) real_##name;
FUNCTIONS (REAL)

/* Other libraries' constructors call these functions before ours is called. */
static void find_real (void)
{
    static atomic_bool found;
    if (busy || atomic_exchange (&found, true))
        return;
    busy = true;
    /* POSIX has the conversion work (dlsym(3)). */
#define FIND(name) *(void **) &real_##name = dlsym (RTLD_NEXT, #name);
    FUNCTIONS (FIND)
    busy = false;
}

/* Whether this call is to fail. */
static bool fails (enum function function)
{
    find_real ();
    if (NULL == control || busy)
        return false;
    const uint32_t mode = atomic_load (&control->mode);
    if (MODE_OFF == mode || (MODE_FAIL == mode && control->function != function))
        return false;
    struct stack stack;
    bool failing = false;
    busy = true;
    const int error = errno;
    take_stack (&stack);
    if (0 == stack.depth) {
        failing = false; /* none of ours */
    } else if (MODE_LEARN == mode) {
        learn (function, &stack);
    } else if (stack.hash == control->stack) {
        failing = atomic_fetch_add (&control->failed, 1) < control->times;
        if (!failing)
            atomic_fetch_sub (&control->failed, 1);
    }
    busy = false;
    errno = error;
    if (!failing)
        return false;
    errno = control->error;
    return true;
}

__attribute__ ((constructor)) static void begin (void)
{
    const char *const path = getenv ("FAILURES_CONTROL");
    const int descriptor = NULL == path ? -1 : open (path, O_RDWR | O_CLOEXEC);
    find_real ();
    busy = true;
    (void) dl_iterate_phdr (&take_module, NULL);
    struct stack stack;
    take_stack (&stack); /* what the unwinder allocates, it allocates now */
    if (descriptor >= 0) {
        void *const page = mmap (NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (MAP_FAILED != page)
            control = page;
        (void) real_close (descriptor);
    }
    if (NULL != control) {
        static const char *const names[] = {
#define NAME(name) #name,
            FUNCTIONS (NAME)
        };
        for (size_t i = 0; i < FUNCTION_COUNT; i++)
            strcpy (control->names[i], names[i]);
    }
    busy = false;
}

/* -------------------------------------------------------------------------------------------- memory
 * By libc's inner names: dlsym() itself allocates. */

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *block, size_t size);
extern void __libc_free (void *block);

static void *counted (void *block, int64_t change)
{
    if (NULL != block && NULL != control)
        atomic_fetch_add (&control->blocks, change);
    return block;
}

void *malloc (size_t size)
{
    return fails (FUNCTION_malloc) ? NULL : counted (__libc_malloc (size), 1);
}

void *calloc (size_t count, size_t size)
{
    return fails (FUNCTION_calloc) ? NULL : counted (__libc_calloc (count, size), 1);
}

void *realloc (void *block, size_t size)
{
    return fails (FUNCTION_realloc) ? NULL : counted (__libc_realloc (block, size), NULL == block);
}

void free (void *block)
{
    (void) counted (block, -1);
    __libc_free (block);
}

/* ------------------------------------------------------------------------------- what returns -1 and errno */

#define FAILING(type, name, parameters, arguments, failure)                                                                \
    type name parameters                                                                                                   \
    {                                                                                                                      \
        return fails (FUNCTION_##name) ? (failure) : real_##name arguments;                                                \
    }

FAILING (int, epoll_create1, (int flags), (flags), -1)
FAILING (int, epoll_wait, (int set, struct epoll_event *events, int most, int timeout), (set, events, most, timeout), -1)
FAILING (int, eventfd, (unsigned count, int flags), (count, flags), -1)
FAILING (int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
FAILING (int, bind, (int socket, const struct sockaddr *address, socklen_t length), (socket, address, length), -1)
FAILING (int, listen, (int socket, int backlog), (socket, backlog), -1)
FAILING (int, getsockname, (int socket, struct sockaddr *address, socklen_t *length), (socket, address, length), -1)
FAILING (int, setsockopt, (int socket, int level, int option, const void *value, socklen_t length),
         (socket, level, option, value, length), -1)
FAILING (ssize_t, sendto,
         (int socket, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t length),
         (socket, bytes, size, flags, address, length), -1)
FAILING (ssize_t, recvfrom,
         (int socket, void *bytes, size_t size, int flags, struct sockaddr *address, socklen_t *length),
         (socket, bytes, size, flags, address, length), -1)
FAILING (ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags), (socket, message, flags), -1)
FAILING (ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), -1)
FAILING (int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time), -1)
FAILING (int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), (resource, limit), -1)
FAILING (int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit), (resource, limit), -1)
FAILING (long, sysconf, (int name), (name), -1)
FAILING (struct tm *, gmtime_r, (const time_t *time, struct tm *parts), (time, parts), NULL)

/* The one that succeeds takes the client out of the backlog even where the call fails: with ECONNABORTED alone. */
int accept4 (int socket, struct sockaddr *address, socklen_t *length, int flags)
{
    if (!fails (FUNCTION_accept4))
        return real_accept4 (socket, address, length, flags);
    if (ECONNABORTED == errno) {
        const int descriptor = real_accept4 (socket, address, length, flags);
        if (descriptor >= 0)
            (void) real_close (descriptor);
        errno = ECONNABORTED;
    }
    return -1;
}

int epoll_ctl (int set, int operation, int descriptor, struct epoll_event *event)
{
    return EPOLL_CTL_DEL != operation && fails (FUNCTION_epoll_ctl) ? -1
                                                                    : real_epoll_ctl (set, operation, descriptor, event);
}

/* A descriptor is closed even where close() says that something went wrong, and a socket that cannot be shut down is shut
 * already. */
int close (int descriptor)
{
    const bool failing = fails (FUNCTION_close);
    const int error = errno, result = real_close (descriptor);
    if (failing)
        errno = error;
    return failing ? -1 : result;
}

int shutdown (int socket, int how)
{
    const bool failing = fails (FUNCTION_shutdown);
    const int error = errno, result = real_shutdown (socket, how);
    if (failing)
        errno = error;
    return failing ? -1 : result;
}

/* Of eventfds alone: the program's own input and output are the test's. */
ssize_t read (int descriptor, void *bytes, size_t size)
{
    return descriptor > 2 && fails (FUNCTION_read) ? -1 : real_read (descriptor, bytes, size);
}

ssize_t write (int descriptor, const void *bytes, size_t size)
{
    return descriptor > 2 && fails (FUNCTION_write) ? -1 : real_write (descriptor, bytes, size);
}

int fcntl (int descriptor, int command, ...)
{
    va_list list;
    va_start (list, command);
    void *const argument = va_arg (list, void *); /* an int is passed in the same way */
    va_end (list);
    return fails (FUNCTION_fcntl) ? -1 : real_fcntl (descriptor, command, argument);
}

int ioctl (int descriptor, unsigned long command, ...)
{
    va_list list;
    va_start (list, command);
    void *const argument = va_arg (list, void *);
    va_end (list);
    return fails (FUNCTION_ioctl) ? -1 : real_ioctl (descriptor, command, argument);
}

/* ------------------------------------------------------------------------------ what returns its error */

FAILING (int, pthread_create,
         (pthread_t * thread, const pthread_attr_t *attributes, void *(*run) (void *), void *argument),
         (thread, attributes, run, argument), errno)
FAILING (int, pthread_mutex_init, (pthread_mutex_t * lock, const pthread_mutexattr_t *attributes), (lock, attributes),
         errno)
FAILING (int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes),
         (condition, attributes), errno)
FAILING (int, pthread_condattr_init, (pthread_condattr_t * attributes), (attributes), errno)
FAILING (int, pthread_condattr_setclock, (pthread_condattr_t * attributes, clockid_t clock), (attributes, clock), errno)
FAILING (int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before), errno)
FAILING (int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name), errno)

/* -------------------------------------------------------------------------------------- libmicrohttpd */

struct MHD_Daemon *MHD_start_daemon (unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accept_context,
                                     MHD_AccessHandlerCallback handler, void *handler_context, ...)
{
    if (fails (FUNCTION_MHD_start_daemon))
        return NULL;
    va_list list;
    va_start (list, handler_context);
    struct MHD_Daemon *const daemon
        = MHD_start_daemon_va (flags, port, accept, accept_context, handler, handler_context, list);
    va_end (list);
    return daemon;
}

/* Closes the socket, as the real one does. */
enum MHD_Result MHD_add_connection (struct MHD_Daemon *daemon, int descriptor, const struct sockaddr *address,
                                    socklen_t length)
{
    if (!fails (FUNCTION_MHD_add_connection))
        return real_MHD_add_connection (daemon, descriptor, address, length);
    (void) real_close (descriptor);
    return MHD_NO;
}

/* Always something to do, and nothing done. */
enum MHD_Result MHD_get_timeout (struct MHD_Daemon *daemon, MHD_UNSIGNED_LONG_LONG *timeout)
{
    if (!fails (FUNCTION_MHD_get_timeout))
        return real_MHD_get_timeout (daemon, timeout);
    *timeout = 0;
    return MHD_YES;
}

FAILING (enum MHD_Result, MHD_run, (struct MHD_Daemon * daemon), (daemon), MHD_NO)
FAILING (struct MHD_Response *, MHD_create_response_from_buffer,
         (size_t size, void *bytes, enum MHD_ResponseMemoryMode mode), (size, bytes, mode), NULL)
FAILING (struct MHD_Response *, MHD_create_response_from_buffer_with_free_callback_cls,
         (size_t size, LENT bytes, MHD_ContentReaderFreeCallback end, void *context), (size, bytes, end, context),
         NULL)
FAILING (struct MHD_Response *, MHD_create_response_from_callback,
         (uint64_t size, size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback end),
         (size, block, read, context, end), NULL)
FAILING (enum MHD_Result, MHD_add_response_header, (struct MHD_Response * response, const char *name, const char *value),
         (response, name, value), MHD_NO)
FAILING (enum MHD_Result, MHD_queue_response,
         (struct MHD_Connection * connection, unsigned status, struct MHD_Response *response),
         (connection, status, response), MHD_NO)

#if MHD_VERSION >= 0x00097701
FAILING (struct MHD_Response *, MHD_create_response_from_buffer_copy, (size_t size, const void *bytes), (size, bytes), NULL)
#endif

/* Variadic in name: none of the shim's calls passes more. */
enum MHD_Result MHD_set_response_options (struct MHD_Response *response, enum MHD_ResponseFlags flags, ...)
{
    return fails (FUNCTION_MHD_set_response_options) ? MHD_NO : real_MHD_set_response_options (response, flags, MHD_RO_END);
}

const union MHD_DaemonInfo *MHD_get_daemon_info (struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...)
{
    return fails (FUNCTION_MHD_get_daemon_info) ? NULL : real_MHD_get_daemon_info (daemon, type);
}

const union MHD_ConnectionInfo *MHD_get_connection_info (struct MHD_Connection *connection,
                                                         enum MHD_ConnectionInfoType type, ...)
{
    return fails (FUNCTION_MHD_get_connection_info) ? NULL : real_MHD_get_connection_info (connection, type);
}
