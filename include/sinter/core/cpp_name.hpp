// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

// Names that C++ and its headers have. The converters read these lists here, tools/quoting.py.
namespace detail {

inline constexpr std::string_view words_of_cpp =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int "
    "long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires return short signed sinter sizeof static static_assert static_cast std struct switch "
    "template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq";

/// Which C has for each type, too: expf, expl, expf32x.
inline constexpr std::string_view functions_of_numbers =
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 "
    "f32add f32div f32fma f32mul f32sqrt f32sub f32xadd f32xdiv f32xfma f32xmul f32xsqrt f32xsub f64add f64div f64fma "
    "f64mul f64sqrt f64sub f64xadd f64xdiv f64xfma f64xmul f64xsqrt f64xsub fabs fdim floor fma fmax fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num "
    "fminmag fmod frexp fromfp fromfpx gamma getpayload hypot ilogb j0 j1 jn ldexp lgamma llogb llrint llround log "
    "log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow remainder remquo "
    "rint round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sin sincos sinh sqrt tan tanh "
    "tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn";

/// Of what is in capitals after them: LC_ALL.
inline constexpr std::string_view prefixes_of_macros =
    "ADJ ATOMIC CLD CLOCK CLONE DBL DEC128 DEC32 DEC64 DN DT FALLOC FLT FLT128 FLT16 FLT32 FLT32X FLT64 FLT64X FP FPE "
    "HUGE ILL INT INT16 INT32 INT64 INT8 INTMAX INTPTR IOC ITIMER LC LDBL LLONG M MADV MCL MFD MREMAP POSIX PTHREAD "
    "PTRDIFF RWH SCHAR SCHED SEGV SHRT SIGEV SPLICE STA STATX TIOCM TIOCPKT TTYDEF UCHAR UINT UINT16 UINT32 UINT64 "
    "UINT8 UINTMAX UINTPTR ULLONG ULONG USHRT WCHAR WINT XATTR";

/// The other types, functions and macros of C's headers, as g++ and glibc have them.
inline constexpr std::string_view names_of_c =
    "ACCESSPERMS AIO_PRIO_DELTA_MAX ALLPERMS AT_EACCESS AT_EMPTY_PATH AT_FDCWD AT_NO_AUTOMOUNT AT_RECURSIVE "
    "AT_REMOVEDIR AT_STATX_DONT_SYNC AT_STATX_FORCE_SYNC AT_STATX_SYNC_AS_STAT AT_STATX_SYNC_TYPE AT_SYMLINK_FOLLOW "
    "AT_SYMLINK_NOFOLLOW BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ "
    "BUS_ADRALN BUS_ADRERR BUS_MCEERR_AO BUS_MCEERR_AR BUS_OBJERR BYTE_ORDER CBRK CDISCARD CDSUSP CEOF CEOL CEOT "
    "CERASE CFLUSH CHARCLASS_NAME_MAX CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CINTR CKILL CLNEXT CLOCKS_PER_SEC "
    "CLOSE_RANGE_CLOEXEC CLOSE_RANGE_UNSHARE CMIN COLL_WEIGHTS_MAX CPU_SETSIZE CQUIT CREPRINT CRPRNT CSIGNAL CSTART "
    "CSTATUS CSTOP CSUSP CTIME CWERASE DECIMAL_DIG DEFFILEMODE DELAYTIMER_MAX DIR E2BIG EACCES EADDRINUSE "
    "EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY "
    "ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT "
    "EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN "
    "EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX "
    "ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET "
    "ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM "
    "ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM "
    "ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT "
    "EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN "
    "ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS "
    "EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS EXPR_NEST_MAX FAPPEND FASYNC FD_CLOEXEC FD_SETSIZE FFSYNC FILE "
    "FILENAME_MAX FIOASYNC FIOCLEX FIONBIO FIONCLEX FIONREAD FIOQSIZE FNDELAY FNONBLOCK FOPEN_MAX F_ADD_SEALS F_DUPFD "
    "F_DUPFD_CLOEXEC F_EXLCK F_GETFD F_GETFL F_GETLEASE F_GETLK F_GETLK64 F_GETOWN F_GETOWN_EX F_GETPIPE_SZ F_GETSIG "
    "F_GET_FILE_RW_HINT F_GET_RW_HINT F_GET_SEALS F_LOCK F_NOTIFY F_OFD_GETLK F_OFD_SETLK F_OFD_SETLKW F_OK "
    "F_OWNER_GID F_OWNER_PGRP F_OWNER_PID F_OWNER_TID F_RDLCK F_SEAL_FUTURE_WRITE F_SEAL_GROW F_SEAL_SEAL "
    "F_SEAL_SHRINK F_SEAL_WRITE F_SETFD F_SETFL F_SETLEASE F_SETLK F_SETLK64 F_SETLKW F_SETLKW64 F_SETOWN F_SETOWN_EX "
    "F_SETPIPE_SZ F_SETSIG F_SET_FILE_RW_HINT F_SET_RW_HINT F_SHLCK F_TEST F_TLOCK F_ULOCK F_UNLCK F_WRLCK "
    "HOST_NAME_MAX I INFINITY IOCSIZE_MASK IOCSIZE_SHIFT IOV_MAX LINE_MAX LITTLE_ENDIAN LOCK_EX LOCK_MAND LOCK_NB "
    "LOCK_READ LOCK_RW LOCK_SH LOCK_UN LOCK_WRITE LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX LONG_LONG_MIN LONG_MAX "
    "LONG_MIN LONG_WIDTH L_INCR L_SET L_XTND L_ctermid L_cuserid L_tmpnam MAP_32BIT MAP_ANON MAP_ANONYMOUS "
    "MAP_DENYWRITE MAP_EXECUTABLE MAP_FAILED MAP_FILE MAP_FIXED MAP_FIXED_NOREPLACE MAP_GROWSDOWN MAP_HUGETLB "
    "MAP_HUGE_MASK MAP_HUGE_SHIFT MAP_LOCKED MAP_NONBLOCK MAP_NORESERVE MAP_POPULATE MAP_PRIVATE MAP_SHARED "
    "MAP_SHARED_VALIDATE MAP_STACK MAP_SYNC MAP_TYPE MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAXNAMLEN MAX_CANON "
    "MAX_HANDLE_SZ MAX_INPUT MB_CUR_MAX MB_LEN_MAX MINSIGSTKSZ MLOCK_ONFAULT MOD_CLKA MOD_CLKB MOD_ESTERROR "
    "MOD_FREQUENCY MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX MS_ASYNC "
    "MS_INVALIDATE MS_SYNC NAME_MAX NAN NCC NFDBITS NGREG NGROUPS_MAX NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX "
    "NL_TEXTMAX NSIG NULL NZERO N_6PACK N_AX25 N_HCI N_HDLC N_IRDA N_MASC N_MOUSE N_PPP N_PROFIBUS_FDL N_R3964 N_SLIP "
    "N_SMSBLOCK N_STRIP N_SYNC_PPP N_TTY N_X25 O_ACCMODE O_APPEND O_ASYNC O_CLOEXEC O_CREAT O_DIRECT O_DIRECTORY "
    "O_DSYNC O_EXCL O_FSYNC O_LARGEFILE O_NDELAY O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_RDONLY O_RDWR "
    "O_RSYNC O_SYNC O_TMPFILE O_TRUNC O_WRONLY PATH_MAX PDP_ENDIAN PIPE_BUF PKEY_DISABLE_ACCESS PKEY_DISABLE_WRITE "
    "POLL_ERR POLL_HUP POLL_IN POLL_MSG POLL_OUT POLL_PRI PROT_EXEC PROT_GROWSDOWN PROT_GROWSUP PROT_NONE PROT_READ "
    "PROT_WRITE P_tmpdir RAND_MAX REG_CR2 REG_CSGSFS REG_EFL REG_ERR REG_OLDMASK REG_R10 REG_R11 REG_R12 REG_R13 "
    "REG_R14 REG_R15 REG_R8 REG_R9 REG_RAX REG_RBP REG_RBX REG_RCX REG_RDI REG_RDX REG_RIP REG_RSI REG_RSP REG_TRAPNO "
    "RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX RWF_WRITE_LIFE_NOT_SET R_OK SA_INTERRUPT "
    "SA_NOCLDSTOP SA_NOCLDWAIT SA_NODEFER SA_NOMASK SA_ONESHOT SA_ONSTACK SA_RESETHAND SA_RESTART SA_SIGINFO SA_STACK "
    "SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_FAILED SEM_VALUE_MAX SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD "
    "SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN "
    "SIGSEGV SIGSTKFLT SIGSTKSZ SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 "
    "SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SIG_BLOCK SIG_DFL SIG_ERR "
    "SIG_HOLD SIG_IGN SIG_SETMASK SIG_UNBLOCK SIOGIFINDEX SIZE_MAX SIZE_WIDTH SI_ASYNCIO SI_ASYNCNL SI_DETHREAD "
    "SI_KERNEL SI_MESGQ SI_QUEUE SI_SIGIO SI_TIMER SI_TKILL SI_USER SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64 "
    "SNANF64X SNANL SSIZE_MAX SS_DISABLE SS_ONSTACK STDERR_FILENO STDIN_FILENO STDOUT_FILENO "
    "SYNC_FILE_RANGE_WAIT_AFTER SYNC_FILE_RANGE_WAIT_BEFORE SYNC_FILE_RANGE_WRITE SYNC_FILE_RANGE_WRITE_AND_WAIT "
    "S_BLKSIZE S_IEXEC S_IFBLK S_IFCHR S_IFDIR S_IFIFO S_IFLNK S_IFMT S_IFREG S_IFSOCK S_IREAD S_IRGRP S_IROTH S_IRUSR "
    "S_IRWXG S_IRWXO S_IRWXU S_ISGID S_ISUID S_ISVTX S_IWGRP S_IWOTH S_IWRITE S_IWUSR S_IXGRP S_IXOTH S_IXUSR TCFLSH "
    "TCGETA TCGETS TCGETS2 TCGETX TCSBRK TCSBRKP TCSETA TCSETAF TCSETAW TCSETS TCSETS2 TCSETSF TCSETSF2 TCSETSW "
    "TCSETSW2 TCSETX TCSETXF TCSETXW TCXONC TIMER_ABSTIME TIME_UTC TMP_MAX TRAP_BRANCH TRAP_BRKPT TRAP_HWBKPT "
    "TRAP_TRACE TRAP_UNK TTY_NAME_MAX UTIME_NOW UTIME_OMIT WCONTINUED WEOF WEXITED WNOHANG WNOWAIT WORD_BIT WSTOPPED "
    "WUNTRACED W_OK X_OK a64l abort abs access acct adjtime alarm aligned_alloc alloca alphasort alphasort64 "
    "arc4random arc4random_buf arc4random_uniform asctime asctime_r asprintf assert at_quick_exit atexit atof atoi "
    "atol atoll basename bcmp bcopy brk bsearch btowc bzero calloc canonicalize_file_name ceil chdir chmod chown "
    "chroot clearenv clearerr clock clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep "
    "clock_settime clone close close_range closedir closefrom confstr copy_file_range creat creat64 crypt ctermid "
    "ctime ctime_r cuserid d_fileno daddl daemon daylight ddivl dfmal difftime dirent dirent64 dirfd div dmull dprintf "
    "drand48 drand48_data drand48_r drem dremf dreml dsqrtl dsubl dup dup2 dup3 duplocale dysize eaccess ecvt ecvt_r "
    "endusershell environ erand48 erand48_r erf errno euidaccess execl execle execlp execv execve execveat execvp "
    "execvpe exit explicit_bzero f_owner_ex faccessat fadd faddl fallocate fallocate64 fchdir fchmod fchmodat fchown "
    "fchownat fclose fcloseall fcntl fcntl64 fcvt fcvt_r fd_mask fd_set fdatasync fdiv fdivl fdopen fdopendir feof "
    "ferror fexecve fflush ffma ffmal ffs ffsl ffsll fgetc fgetpos fgetpos64 fgets fgetwc fgetws file_handle fileno "
    "finite finitef finitel flock flock64 flockfile fmemopen fmul fmull fopen fopen64 fopencookie fork fpathconf "
    "fpclassify fprintf fputc fputs fputwc fputws fread free freelocale freopen freopen64 fscanf fseek fseeko fseeko64 "
    "fsetpos fsetpos64 fsqrt fsqrtl fstat fstat64 fstatat fstatat64 fsub fsubl fsync ftell ftello ftello64 ftruncate "
    "ftruncate64 ftrylockfile funlockfile futimens futimes futimesat fwide fwprintf fwrite fwscanf gcvt "
    "get_current_dir_name getc getchar getcpu getcwd getdate getdate_err getdate_r getdelim getdents64 getdirentries "
    "getdirentries64 getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid "
    "gethostname getitimer getline getloadavg getlogin getlogin_r getopt getpagesize getpass getpgid getpgrp getpid "
    "getppid getpt getresgid getresuid gets getsid getsubopt gettid gettimeofday getuid getumask getusershell getw "
    "getwc getwchar getwd gmtime gmtime_r grantpt group_member gsignal index initstate initstate_r ioctl iovec isalnum "
    "isalnum_l isalpha isalpha_l isascii isatty isblank isblank_l iscanonical iscntrl iscntrl_l isctype isdigit "
    "isdigit_l iseqsig isfinite isgraph isgraph_l isgreater isgreaterequal isinf isinff isinfl isless islessequal "
    "islessgreater islower islower_l isnan isnanf isnanl isnormal isprint isprint_l ispunct ispunct_l issignaling "
    "isspace isspace_l isunordered isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l "
    "iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint "
    "iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l "
    "iszero itimerspec itimerval jrand48 jrand48_r kill killpg l64a labs lchmod lchown lcong48 lcong48_r lconv ldiv "
    "lgamma_r lgammaf128_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r link linkat linux "
    "llabs lldiv localeconv localtime localtime_r lockf lockf64 longjmp lrand48 lrand48_r lseek lseek64 lstat lstat64 "
    "lutimes madvise malloc math_errhandling mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy "
    "memchr memcmp memcpy memfd_create memfrob memmem memmove mempcpy memrchr memset mincore mkdir mkdirat mkdtemp "
    "mkfifo mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 "
    "mktemp mktime mlock mlock2 mlockall mmap mmap64 modf mprotect mrand48 mrand48_r mremap msync munlock munlockall "
    "munmap name_to_handle_at nanosleep newlocale nice nrand48 nrand48_r obstack_printf obstack_vprintf offsetof "
    "on_exit open open64 open_by_handle_at open_memstream open_wmemstream openat openat64 opendir optarg opterr optind "
    "optopt pathconf pause pclose perror pipe pipe2 pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set popen "
    "posix_fadvise posix_fadvise64 posix_fallocate posix_fallocate64 posix_madvise posix_memalign posix_openpt pread "
    "pread64 printf process_madvise process_mrelease profil program_invocation_name program_invocation_short_name "
    "pselect psiginfo psignal pthread_atfork pthread_attr_destroy pthread_attr_getaffinity_np "
    "pthread_attr_getdetachstate pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam "
    "pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getsigmask_np pthread_attr_getstack "
    "pthread_attr_getstackaddr pthread_attr_getstacksize pthread_attr_init pthread_attr_setaffinity_np "
    "pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched pthread_attr_setschedparam "
    "pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setsigmask_np pthread_attr_setstack "
    "pthread_attr_setstackaddr pthread_attr_setstacksize pthread_barrier_destroy pthread_barrier_init "
    "pthread_barrier_wait pthread_barrierattr_destroy pthread_barrierattr_getpshared pthread_barrierattr_init "
    "pthread_barrierattr_setpshared pthread_cancel pthread_clockjoin_np pthread_cond_broadcast pthread_cond_clockwait "
    "pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait "
    "pthread_condattr_destroy pthread_condattr_getclock pthread_condattr_getpshared pthread_condattr_init "
    "pthread_condattr_setclock pthread_condattr_setpshared pthread_create pthread_detach pthread_equal pthread_exit "
    "pthread_getaffinity_np pthread_getattr_default_np pthread_getattr_np pthread_getconcurrency pthread_getcpuclockid "
    "pthread_getname_np pthread_getschedparam pthread_getspecific pthread_join pthread_key_create pthread_key_delete "
    "pthread_kill pthread_mutex_clocklock pthread_mutex_consistent pthread_mutex_consistent_np pthread_mutex_destroy "
    "pthread_mutex_getprioceiling pthread_mutex_init pthread_mutex_lock pthread_mutex_setprioceiling "
    "pthread_mutex_timedlock pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_destroy "
    "pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol pthread_mutexattr_getpshared "
    "pthread_mutexattr_getrobust pthread_mutexattr_getrobust_np pthread_mutexattr_gettype pthread_mutexattr_init "
    "pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared "
    "pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np pthread_mutexattr_settype pthread_once "
    "pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_destroy pthread_rwlock_init "
    "pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_tryrdlock "
    "pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_rwlockattr_destroy "
    "pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init pthread_rwlockattr_setkind_np "
    "pthread_rwlockattr_setpshared pthread_self pthread_setaffinity_np pthread_setattr_default_np "
    "pthread_setcancelstate pthread_setcanceltype pthread_setconcurrency pthread_setname_np pthread_setschedparam "
    "pthread_setschedprio pthread_setspecific pthread_sigmask pthread_sigqueue pthread_spin_destroy pthread_spin_init "
    "pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_testcancel pthread_timedjoin_np "
    "pthread_tryjoin_np pthread_yield ptsname ptsname_r putc putchar putenv puts putw putwc putwchar pwrite pwrite64 "
    "qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quick_exit raise rand rand_r random random_data random_r "
    "rawmemchr read readahead readdir readdir64 readdir64_r readdir_r readlink readlinkat realloc reallocarray "
    "realpath remap_file_pages remove rename renameat renameat2 revoke rewind rewinddir rindex rmdir rpmatch "
    "sa_handler sa_sigaction sbrk scandir scandir64 scandirat scandirat64 scanf sched_get_priority_max "
    "sched_get_priority_min sched_getaffinity sched_getcpu sched_getparam sched_getscheduler sched_param "
    "sched_priority sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler sched_yield "
    "secure_getenv seed48 seed48_r seekdir select sem_clockwait sem_close sem_destroy sem_getvalue sem_init sem_open "
    "sem_post sem_timedwait sem_trywait sem_unlink sem_wait setbuf setbuffer setdomainname setegid setenv seteuid "
    "setgid sethostid sethostname setitimer setjmp setlinebuf setlocale setlogin setns setpgid setpgrp setregid "
    "setresgid setresuid setreuid setsid setstate setstate_r settimeofday setuid setusershell setvbuf shm_open "
    "shm_unlink si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int si_lower si_overrun si_pid si_pkey "
    "si_ptr si_status si_stime si_syscall si_timerid si_uid si_upper si_utime si_value sigabbrev_np sigaction "
    "sigaddset sigaltstack sigandset sigblock sigcontext sigdelset sigdescr_np sigemptyset sigev_notify_attributes "
    "sigev_notify_function sigevent sigfillset siggetmask sighold sigignore siginterrupt sigisemptyset sigismember "
    "signal signbit signgam sigorset sigpause sigpending sigprocmask sigqueue sigrelse sigreturn sigset sigsetmask "
    "sigstack sigsuspend sigtimedwait sigval sigwait sigwaitinfo sleep snprintf splice sprintf srand srand48 srand48_r "
    "srandom srandom_r sscanf ssignal st_atime st_ctime st_mtime stat stat64 statx statx_timestamp stderr stdin stdout "
    "stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn "
    "strdup strerror strerror_l strerror_r strerrordesc_np strerrorname_np strfromd strfromf strfromf128 strfromf32 "
    "strfromf32x strfromf64 strfromf64x strfroml strfry strftime strftime_l strlen strncasecmp strncasecmp_l strncat "
    "strncmp strncpy strndup strnlen strpbrk strptime strptime_l strrchr strsep strsignal strspn strstr strtod "
    "strtod_l strtof strtof128 strtof128_l strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x "
    "strtof64x_l strtof_l strtok strtok_r strtol strtol_l strtold strtold_l strtoll strtoll_l strtoq strtoul strtoul_l "
    "strtoull strtoull_l strtouq strverscmp strxfrm strxfrm_l swab swprintf swscanf symlink symlinkat sync "
    "sync_file_range syncfs syscall sysconf system sysv_signal tcgetpgrp tcsetpgrp tee telldir tempnam termio tgkill "
    "time timegm timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec "
    "timespec_get timespec_getres timeval timex timezone tm tmpfile tmpfile64 tmpnam tmpnam_r toascii tolower "
    "tolower_l toupper toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l truncate truncate64 "
    "ttyname ttyname_r ttyslot tzname tzset u_char u_int u_long u_short ualarm uint ulong umask ungetc ungetwc unix "
    "unlink unlinkat unlockpt unsetenv unshare uselocale ushort usleep utimensat utimes va_list valloc vasprintf "
    "vdprintf versionsort versionsort64 vfork vfprintf vfscanf vfwprintf vfwscanf vhangup vmsplice vprintf vscanf "
    "vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait wcpcpy wcpncpy wcrtomb wcscasecmp "
    "wcscasecmp_l wcscat wcschr wcschrnul wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslen "
    "wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr "
    "wcstod wcstod_l wcstof wcstof128 wcstof128_l wcstof32 wcstof32_l wcstof32x wcstof32x_l wcstof64 wcstof64_l "
    "wcstof64x wcstof64x_l wcstof_l wcstok wcstol wcstol_l wcstold wcstold_l wcstoll wcstoll_l wcstombs wcstoq wcstoul "
    "wcstoul_l wcstoull wcstoull_l wcstouq wcswcs wcswidth wcsxfrm wcsxfrm_l wctob wctomb wctrans wctrans_l wctype "
    "wctype_l wcwidth winsize wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf write wscanf";
/// Functions of other libraries are called by these and an end that functions of a model library have: sem_open.
inline constexpr std::string_view prefixes_of_libraries = "aio argp dbm fts fts64 gai iconv inet mq pidfd sem shm";

/// A name in a list of names with spaces between them.
constexpr bool is_listed(std::string_view name, std::string_view names) {
  for (std::size_t at = 0; (at = names.find(name, at)) != names.npos; ++at) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

/// Whether C's headers have a name, or all that are made like it.
constexpr bool is_name_of_c(std::string_view name) {
  const std::size_t type = name.find_last_not_of("0123456789x"), last = name.size() - 1;
  const bool typed = type != name.npos && (name[type] == 'f' || (type == last && name[type] == 'l'));
  const std::string_view base = name.substr(0, typed ? type : name.npos);
  const bool capitals = base.find_first_of("abcdefghijklmnopqrstuvwxyz") == base.npos;
  const std::size_t prefix = base.find('_');
  return name.ends_with("_t") || name.ends_with("_unlocked") || name.starts_with("SYS_") ||
         (capitals && (name.starts_with("SIOC") || name.starts_with("TIOC") ||
                       (prefix != base.npos && is_listed(base.substr(0, prefix), prefixes_of_macros)))) ||
         is_listed(base, functions_of_numbers) || is_listed(name, functions_of_numbers) || is_listed(name, names_of_c);
}

}  // namespace detail

/// Whether a text can be the name of a constant or type that a program declares outside of namespaces: letters, digits
/// and _, and no word of C++, of its standard headers, of C's or of sinter.
constexpr bool is_name_in_cpp(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  for (const char c : name)
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  const bool reserved = name.find("__") != name.npos || name[0] == '_' || name.starts_with("SINTER_");
  return !reserved && !detail::is_listed(name, detail::words_of_cpp) && !detail::is_name_of_c(name);
}

/// Whether NAME_open and the other functions of a model library can be called so.
constexpr bool is_name_of_library(std::string_view name) {
  return is_name_in_cpp(name) && !detail::is_listed(name, detail::prefixes_of_libraries);
}

SINTER_NAMESPACE_END
