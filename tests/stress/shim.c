/* Stands between a process and the C library (LD_PRELOAD): logs what it does to the files of one folder, fails or kills
 * it at the nth such call, and fails the nth allocation. Driven from Python through ctypes; see shim.py. Linux and glibc.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SECTOR 512

/* Numbers that shim.py repeats. */
enum { WRITE = 1, SYNC = 2, SIZE = 4, NAME = 8 };                                    /* kinds of call */
enum { OFF, FAIL, SHORT, KILL_BEFORE, KILL_AFTER, KILL_HALFWAY };                     /* what to do at the nth */
enum { L_WRITE = 1, L_WRITTEN, L_SIZE, L_SYNC, L_CREATE, L_LINK, L_UNLINK, L_RENAME, L_MARK }; /* entries of the log */

struct entry { /* then the first path, the second path or the bytes written */
    uint32_t what, paths[2], unused;
    uint64_t inode, offset, length;
};

static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
static int action, at_error, kinds, times;
static long countdown, counted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int alloc_armed;
static long alloc_countdown, alloc_times, alloc_counted;
static size_t alloc_least;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* ------------------------------------------------------------ driven from Python */

void shim_watch(const char *path) {
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
}

void shim_log(int fd) { log_file = fd; }

/* At the nth watched call (from 1) of these kinds, and the `more - 1` after it: act. */
void shim_arm(int what, long nth, int error, int which, int more) {
    counted = 0;
    countdown = nth;
    at_error = error;
    kinds = which;
    times = more;
    action = what;
}

long shim_counted(void) { return counted; }

/* The nth allocation (from 1) of at least `least` bytes, and the `more - 1` after it, fail; nth 0: only counts. */
void shim_starve(long nth, size_t least, long more) {
    alloc_counted = 0;
    alloc_countdown = nth;
    alloc_least = least;
    alloc_times = more;
    alloc_armed = more >= 0;
}

long shim_allocated(void) { return alloc_counted; }

/* ------------------------------------------------------------ the log */

static void note(int what, uint64_t inode, uint64_t offset, uint64_t length, const char *first, const char *second,
                 const void *bytes) {
    if (log_file < 0) return;
    struct entry entry = {what, {first ? strlen(first) : 0, second ? strlen(second) : 0}, 0, inode, offset, length};
    struct iovec parts[4] = {{&entry, sizeof entry},
                             {(void *)first, entry.paths[0]},
                             {(void *)second, entry.paths[1]},
                             {(void *)bytes, bytes ? length : 0}};
    pthread_mutex_lock(&mutex);
    syscall(SYS_writev, log_file, parts, 4);
    pthread_mutex_unlock(&mutex);
}

void shim_mark(const char *text) { note(L_MARK, 0, 0, 0, text, NULL, NULL); }

/* ------------------------------------------------------------ what is watched, and what befalls it */

static int inside(const char *path) {
    return folder_length && !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

static int watched(int fd) {
    if (!folder_length) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return inside(path);
}

static uint64_t inode_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_ino;
}

static uint64_t inode_at(const char *path) {
    struct stat status;
    return lstat(path, &status) ? 0 : status.st_ino;
}

static void die(void) { kill(getpid(), SIGKILL); }

/* What to do at this call, which is watched. */
static int befalls(int kind) {
    if (!(action && kinds & kind)) return OFF;
    long nth = __sync_add_and_fetch(&counted, 1);
    if (!countdown || nth < countdown || nth >= countdown + times) return OFF;
    int what = action;
    if (what == SHORT && nth > countdown) what = FAIL;
    if (what == SHORT && kind != WRITE) what = FAIL;
    if (what == KILL_BEFORE) die();
    if (what == FAIL) errno = at_error;
    return what;
}

static void after(int what) {
    if (what == KILL_AFTER || what == KILL_HALFWAY) die();
}

/* ------------------------------------------------------------ writes */

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t offset, int positioned) {
    __typeof__(&pwrite) real_pwrite = REAL(pwrite);
    __typeof__(&write) real_write = REAL(write);
    if (!watched(fd)) return positioned ? real_pwrite(fd, bytes, length, offset) : real_write(fd, bytes, length);
    int what = befalls(WRITE);
    if (what == FAIL) return -1;
    if (!positioned) offset = lseek(fd, 0, SEEK_CUR);
    /* A sector is written whole or not at all; a process that is killed has written its part of a page. */
    int whole = length && offset / SECTOR == (offset + (off_t)length - 1) / SECTOR;
    if (what == SHORT && whole) {
        errno = at_error;
        return -1;
    }
    if (!whole && (what == SHORT || what == KILL_HALFWAY)) length /= 2;
    int at_once = fcntl(fd, F_GETFL) & O_DSYNC;
    if (at_once) note(L_WRITE, inode_of(fd), offset, length, NULL, NULL, bytes);
    ssize_t done = positioned ? real_pwrite(fd, bytes, length, offset) : real_write(fd, bytes, length);
    int error = errno;
    if (done > 0) note(at_once ? L_WRITTEN : L_WRITE, inode_of(fd), offset, done, NULL, NULL, bytes);
    after(what);
    errno = error;
    return done;
}

ssize_t write(int fd, const void *bytes, size_t length) { return write_at(fd, bytes, length, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return write_at(fd, bytes, length, offset, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return write_at(fd, bytes, length, offset, 1); }

static ssize_t gathered(int fd, const struct iovec *parts, int count, off_t offset, int positioned) {
    size_t length = 0, at = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    char *bytes = mmap(NULL, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return -1;
    for (int i = 0; i < count; at += parts[i++].iov_len) memcpy(bytes + at, parts[i].iov_base, parts[i].iov_len);
    ssize_t done = write_at(fd, bytes, length, offset, positioned);
    int error = errno;
    munmap(bytes, length + 1);
    errno = error;
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return watched(fd) ? gathered(fd, parts, count, 0, 0) : REAL(writev)(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    return watched(fd) ? gathered(fd, parts, count, offset, 1) : REAL(pwritev)(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(fd, parts, count, offset);
}

/* ------------------------------------------------------------ syncs and sizes */

static int synced(int fd, int (*sync_)(int)) {
    if (!watched(fd)) return sync_(fd);
    int what = befalls(SYNC);
    if (what == FAIL || what == SHORT) return -1;
    int done = sync_(fd);
    if (!done) note(L_SYNC, inode_of(fd), 0, 0, NULL, NULL, NULL);
    after(what);
    return done;
}

int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

int msync(void *start, size_t length, int flags) {
    /* fpdb never writes through a map: an msync would be one that the model does not know. */
    static const char said[] = "shim: msync\n";
    if (folder_length && syscall(SYS_write, 2, said, sizeof said - 1) >= 0) abort();
    return REAL(msync)(start, length, flags);
}

static int resized(int fd, off_t length) {
    int what = befalls(SIZE);
    if (what == FAIL || what == SHORT) return -1;
    int done = REAL(ftruncate)(fd, length);
    if (!done) note(L_SIZE, inode_of(fd), 0, length, NULL, NULL, NULL);
    after(what);
    return done;
}

int ftruncate(int fd, off_t length) { return watched(fd) ? resized(fd, length) : REAL(ftruncate)(fd, length); }
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int truncate(const char *path, off_t length) {
    if (!inside(path)) return REAL(truncate)(path, length);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int done = resized(fd, length), error = errno;
    close(fd);
    errno = error;
    return done;
}
int truncate64(const char *path, off64_t length) { return truncate(path, length); }

/* ------------------------------------------------------------ names */

static int opened(int directory, const char *path, int flags, mode_t mode) {
    int fd;
    if (!(flags & O_CREAT) || !inside(path)) {
        fd = syscall(SYS_openat, directory, path, flags, mode);
        if (fd >= 0 && flags & O_TRUNC && watched(fd)) note(L_SIZE, inode_of(fd), 0, 0, NULL, NULL, NULL);
        return fd;
    }
    int there = inode_at(path) != 0;
    int what = there ? OFF : befalls(NAME);
    if (what == FAIL || what == SHORT) return -1;
    fd = syscall(SYS_openat, directory, path, flags, mode);
    if (fd >= 0 && !there) note(L_CREATE, inode_of(fd), 0, 0, path, NULL, NULL);
    if (fd >= 0 && there && flags & O_TRUNC) note(L_SIZE, inode_of(fd), 0, 0, NULL, NULL, NULL);
    after(what);
    return fd;
}

#define MODE(flags, last)                      \
    mode_t mode = 0;                           \
    if (flags & (O_CREAT | __O_TMPFILE)) {     \
        va_list list;                          \
        va_start(list, last);                  \
        mode = va_arg(list, mode_t);           \
        va_end(list);                          \
    }

int open(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }

#define NAMED(condition, call, ...)                      \
    if (!(condition)) return call;                       \
    int what = befalls(NAME);                            \
    if (what == FAIL || what == SHORT) return -1;        \
    int done = call;                                     \
    if (!done) note(__VA_ARGS__);                        \
    after(what);                                         \
    return done;

int link(const char *from, const char *to) {
    NAMED(inside(to), REAL(link)(from, to), L_LINK, inode_at(to), 0, 0, to, NULL, NULL)
}
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    NAMED(inside(to), REAL(linkat)(from_at, from, to_at, to, flags), L_LINK, inode_at(to), 0, 0, to, NULL, NULL)
}
int unlink(const char *path) {
    /* A missing file is no event. */
    NAMED(inside(path) && inode_at(path), REAL(unlink)(path), L_UNLINK, 0, 0, 0, path, NULL, NULL)
}
int unlinkat(int at, const char *path, int flags) {
    NAMED(inside(path) && inode_at(path), REAL(unlinkat)(at, path, flags), L_UNLINK, 0, 0, 0, path, NULL, NULL)
}
int rename(const char *from, const char *to) {
    NAMED(inside(to), REAL(rename)(from, to), L_RENAME, inode_at(to), 0, 0, from, to, NULL)
}
int renameat(int from_at, const char *from, int to_at, const char *to) {
    NAMED(inside(to), REAL(renameat)(from_at, from, to_at, to), L_RENAME, inode_at(to), 0, 0, from, to, NULL)
}

/* ------------------------------------------------------------ memory */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int starved(size_t size) {
    if (!alloc_armed || size < alloc_least) return 0;
    long nth = __sync_add_and_fetch(&alloc_counted, 1);
    if (!alloc_countdown || nth < alloc_countdown || nth - alloc_countdown >= alloc_times) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return starved(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return starved(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return starved(size) ? NULL : __libc_realloc(old, size); }
int posix_memalign(void **at, size_t alignment, size_t size) {
    if (starved(size)) return ENOMEM;
    *at = __libc_memalign(alignment, size);
    return *at ? 0 : ENOMEM;
}
void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    if (starved(length)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
    return mmap(at, length, protection, flags, fd, offset);
}
