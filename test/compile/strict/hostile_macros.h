// Macros that other headers define, and that programs include in front of ours. None of them may break a public header,
// and each is as it was afterwards. Included after the C++ library, which does not stand all of them.

// X11/Xlib.h, X11/X.h
#define Above 0
#define Always 2
#define Below 1
#define Bool int
#define Button1 1
#define Complex 0
#define Convex 2
#define CursorShape 0
#define DestroyAll 0
#define False 0
#define FocusIn 9
#define None 0L
#define RootWindow(a, b) rejected
#define Status int
#define Success 0
#define True 1
#define Unsorted 0

// windows.h, minwindef.h, wingdi.h, winuser.h
#define ABSOLUTE 1
#define CALLBACK rejected
#define CONST const
#define CreateFile CreateFileA
#define DELETE (0x00010000L)
#define DOMAIN 1
#define DrawText DrawTextA
#define ERROR 0
#define FALSE 0
#define FAR rejected
#define GetMessage GetMessageA
#define IN
#define INFINITE 0xFFFFFFFF
#define IGNORE 0
#define NEAR
#define NO_ERROR 0L
#define OPAQUE 2
#define OPTIONAL
#define OUT
#define OVERFLOW 3
#define PASCAL rejected
#define SendMessage SendMessageA
#define STRICT 1
#define TRANSPARENT 1
#define TRUE 1
#define VOID void
#define far
#define interface struct
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define near
#define small char

// Unreal Engine; Carbon's AssertMacros.h
#define TEXT(x) L##x
#define check(x) rejected(x)
#define check_noerr(x) rejected(x)
#define checkf(x, ...) rejected(x)
#define ensure(x) rejected(x)
#define require(x, y) rejected(x)
#define verify(x) rejected(x)
#define verifyf(x, ...) rejected(x)

// Qt
#define emit
#define foreach rejected
#define forever for (;;)
#define signals public
#define slots

// sys/sysmacros.h, sys/param.h, termios.h, syslog.h, limits.h
#define B0 0000000
#define ECHO 0000010
#define LOG_DEBUG 7
#define LOG_ERR 3
#define LOG_INFO 6
#define LOG_WARNING 4
#define MAX(a, b) rejected
#define MIN(a, b) rejected
#define PAGESIZE 4096
#define TRAP 5
#define major(x) rejected(x)
#define makedev(x, y) rejected(x)
#define minor(x) rejected(x)
#define roundup(x, y) rejected(x)

#if !defined(HOSTILE_BUT_NO_LOGGER)  // whose names some headers of ours provide
// Other loggers, and what projects have in headers of their own
#define ASSERT(x) rejected(x)
#define CHECK(x) rejected(x)
#define CRITICAL 50
#define DCHECK(x) rejected(x)
#define DEBUG 1
#define FATAL 60
#define INFO "info"
#define LOG(x) rejected(x)
#define NOTICE 25
#define NDEBUG_LEVEL 1
#define TRACE 1
#define VERSION "1.0"
#define WARN rejected
#define WARNING 30
#define array_size(x) rejected(x)
#define assume(x) rejected(x)
#define countof(x) rejected(x)
#define likely(x) rejected(x)
#define unlikely(x) rejected(x)
#define unreachable() rejected()
#endif

// curses.h, perl.h, ruby.h, complex.h, Arduino.h
#define F(x) rejected(x)
#define I 1.0fi
#define OK 0
#define ERR (-1)
#define PI 3.14
#define bit(x) rejected(x)
#define bool_ int
#define clear() rejected()
#define dirty rejected
#define erase() rejected()
#define getch() rejected()
#define imaginary rejected
#define move(y, x) rejected(y)
#define refresh() rejected()
#define timeout(x) rejected(x)
#define word(x) rejected(x)

// GNU's language modes predefine these.
#define linux 1
#define unix 1
