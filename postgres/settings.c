// The settings: postgresql.conf's steno.*
#include "steno_pg.h"

#include <limits.h>
#include <sys/stat.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"

#ifndef STENO_COMMAND
#define STENO_COMMAND "steno"
#endif

char* steno_path;
char* steno_command;
char* steno_sinks;
int steno_log_statement = LOGSTMT_ALL;
int steno_min_duration = 0;
double steno_sample_rate = 1;
bool steno_log_parameters = true;
int steno_parameter_max_length = 1024;
bool steno_log_nested = false;
int steno_log_plans = -1;
int steno_when_full = STENO_PG_BLOCK;
int steno_ring_size = 8192;
bool steno_redact_parameters = false;
bool steno_replace_log = false;

static const struct config_enum_entry kLogStatement[] = {
    {"none", LOGSTMT_NONE, false},
    {"ddl", LOGSTMT_DDL, false},
    {"mod", LOGSTMT_MOD, false},
    {"all", LOGSTMT_ALL, false},
    {NULL, 0, false},
};
static const struct config_enum_entry kWhenFull[] = {
    {"block", STENO_PG_BLOCK, false},
    {"drop", STENO_PG_DROP, false},
    {NULL, 0, false},
};

char* steno_absolute_path(void) {
  char path[MAXPGPATH];
  if (is_absolute_path(steno_path)) {
    strlcpy(path, steno_path, sizeof path);
  } else {
    snprintf(path, sizeof path, "%s/%s", DataDir, steno_path);
  }
  return strdup(path);
}

static bool check_path(char** value, void** extra, GucSource source) {
  struct stat found;
  if (**value == '\0') {
    GUC_check_errdetail("\"steno.path\" must name a file.");
    return false;
  }
  if (strlen(*value) + (DataDir != NULL ? strlen(DataDir) : 0) + 2 > MAXPGPATH) {
    GUC_check_errdetail("\"steno.path\" is longer than %d bytes.", MAXPGPATH);
    return false;
  }
  if ((*value)[strlen(*value) - 1] == '/' || (stat(*value, &found) == 0 && S_ISDIR(found.st_mode))) {
    GUC_check_errdetail("\"steno.path\" names a directory, not a file.");
    return false;
  }
  return true;
}

static bool check_ring_size(int* value, void** extra, GucSource source) {
  if ((*value & (*value - 1)) == 0) return true;
  GUC_check_errdetail("\"steno.ring_size\" must be a power of two.");
  return false;
}

void steno_define_settings(void) {
  DefineCustomStringVariable("steno.path", "The log's file; relative to the data directory.", NULL, &steno_path,
                             "log/postgresql.steno", PGC_POSTMASTER, GUC_SUPERUSER_ONLY, check_path, NULL, NULL);
  DefineCustomStringVariable("steno.command", "The steno command, which writes the log's file.", NULL, &steno_command,
                             STENO_COMMAND, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
  DefineCustomStringVariable("steno.sinks", "A file with sinks that records are shown to, beside the log.", NULL,
                             &steno_sinks, "", PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
  DefineCustomEnumVariable("steno.log_statement", "Which statements are logged, as of log_statement.", NULL,
                           &steno_log_statement, LOGSTMT_ALL, kLogStatement, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.min_duration",
                          "Statements that clients waited less for are not logged, unless they failed.", NULL,
                          &steno_min_duration, 0, 0, INT_MAX, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
  DefineCustomRealVariable("steno.sample_rate", "The share of statements that are logged.", NULL, &steno_sample_rate, 1,
                           0, 1, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomBoolVariable("steno.log_parameters", "Whether values of parameters, and constants, are logged.", NULL,
                           &steno_log_parameters, true, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.parameter_max_length", "The most bytes of a parameter that are logged; -1: all.", NULL,
                          &steno_parameter_max_length, 1024, -1, INT_MAX / 2, PGC_SUSET, GUC_UNIT_BYTE, NULL, NULL,
                          NULL);
  DefineCustomBoolVariable("steno.log_nested", "Whether statements within functions are logged.", NULL,
                           &steno_log_nested, false, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.log_plans", "Plans of statements that took as long are logged; -1: none.", NULL,
                          &steno_log_plans, -1, -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
  DefineCustomEnumVariable("steno.when_full", "Whether a full ring makes statements wait, or records be dropped.", NULL,
                           &steno_when_full, STENO_PG_BLOCK, kWhenFull, PGC_POSTMASTER, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.ring_size", "The most memory of a process's ring; a power of two.", NULL,
                          &steno_ring_size, 8192, 64, 1 << 20, PGC_POSTMASTER, GUC_UNIT_KB, check_ring_size, NULL,
                          NULL);
  DefineCustomBoolVariable("steno.redact_parameters",
                           "Whether nothing is logged that can be a value: neither parameters nor constants.", NULL,
                           &steno_redact_parameters, false, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomBoolVariable("steno.replace_log", "Whether messages that steno has logged go nowhere else.", NULL,
                           &steno_replace_log, false, PGC_SIGHUP, 0, NULL, NULL, NULL);
  *find_rendezvous_variable(STENO_PATH_VARIABLE) = &steno_path;
}
