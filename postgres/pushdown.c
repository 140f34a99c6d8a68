#include "pushdown.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type_d.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/ruleutils.h"
#include "utils/timestamp.h"

// The tree: lists of integers and of lists. A comparison is kCompare, a column, an op, the number of what it is
// compared with, and whether that is an array, one of whose elements has to match.
typedef enum NodeKind { kAnd, kOr, kCompare } NodeKind;
typedef enum Operator { kEqual, kUnequal, kLess, kLessEqual, kGreater, kGreaterEqual } Operator;

static int integer_of(const List* list, int n) {
  return intVal(list_nth(list, n));
}

// Returns whether an operator of PostgreSQL's own is one of these.
static bool find_operator(Oid oid, Operator* found) {
  List* const meanings = STENO_OPERATOR_MEANINGS(oid);
  ListCell* cell;
  bool is_known = false;
  foreach (cell, meanings) {
    const STENO_OPERATOR_MEANING* const meaning = lfirst(cell);
    static const Operator kByStrategy[] = {0, kLess, kLessEqual, kEqual, kGreaterEqual, kGreater, kUnequal};
    const int strategy = STENO_STRATEGY_OF(meaning);
    if (meaning->opfamily_id >= FirstNormalObjectId) continue;
    if (strategy < 1 || strategy >= (int)lengthof(kByStrategy)) continue;
    *found = kByStrategy[strategy];
    is_known = true;
  }
  list_free_deep(meanings);
  return is_known;
}

// The column that an expression is; 0: none.
static int column_of(Node* node, Index relation) {
  while (IsA(node, RelabelType)) node = (Node*)((RelabelType*)node)->arg;
  if (IsA(node, FuncExpr) && ((FuncExpr*)node)->funcid == F_NUMERIC_INT8) node = linitial(((FuncExpr*)node)->args);
  if (!IsA(node, Var) || ((Var*)node)->varno != (int)relation || ((Var*)node)->varlevelsup != 0) return 0;
  return Max(((Var*)node)->varattno, 0);
}

static bool is_integer(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool can_compare(Oid column, Oid with, Operator op) {
  switch (column) {
    case INT8OID:
      return is_integer(with) || with == NUMERICOID;
    case FLOAT8OID:
      return with == FLOAT8OID;
    case TEXTOID:
      return with == TEXTOID && (op == kEqual || op == kUnequal);
    case TIMESTAMPTZOID:
      return with == TIMESTAMPTZOID;
    default:
      return false;
  }
}

static Operator swapped(Operator op) {
  static const Operator kSwapped[] = {kEqual, kUnequal, kGreater, kGreaterEqual, kLess, kLessEqual};
  return kSwapped[op];
}

static List* push_comparison(List* arguments, Oid operator_oid, Oid collation, bool is_array, Index relation,
                             const LogTable* table, List** expressions) {
  Node* other;
  Oid type;
  Operator op;
  int column;
  if (list_length(arguments) != 2 || !find_operator(operator_oid, &op)) return NIL;
  if (OidIsValid(collation) && !get_collation_isdeterministic(collation)) return NIL;
  column = column_of(linitial(arguments), relation);
  other = lsecond(arguments);
  if (column == 0 && !is_array) {
    column = column_of(lsecond(arguments), relation);
    other = linitial(arguments);
    op = swapped(op);
  }
  if (column == 0 || column > table->column_count || table->fields[column - 1] == NULL) return NIL;
  if (contain_var_clause(other) || contain_volatile_functions(other) || contain_subplans(other)) return NIL;
  type = exprType(other);
  if (is_array) type = get_element_type(type);
  if (is_array && op != kEqual) return NIL;
  if (!can_compare(table->types[column - 1], type, op)) return NIL;
  *expressions = lappend(*expressions, other);
  return list_make5(makeInteger(kCompare), makeInteger(column), makeInteger(op),
                    makeInteger(list_length(*expressions) - 1), makeInteger(is_array));
}

// Returns the condition that can be pushed down; NIL: none. Of an AND, it keeps the parts that can be.
static List* push(Node* node, Index relation, const LogTable* table, List** expressions) {
  if (IsA(node, OpExpr)) {
    const OpExpr* const of = (OpExpr*)node;
    return push_comparison(of->args, of->opno, of->inputcollid, false, relation, table, expressions);
  }
  if (IsA(node, ScalarArrayOpExpr) && ((ScalarArrayOpExpr*)node)->useOr) {
    const ScalarArrayOpExpr* const of = (ScalarArrayOpExpr*)node;
    return push_comparison(of->args, of->opno, of->inputcollid, true, relation, table, expressions);
  }
  if (is_orclause(node) || is_andclause(node)) {
    const bool is_or = is_orclause(node);
    List* pushed = list_make1(makeInteger(is_or ? kOr : kAnd));
    ListCell* cell;
    foreach (cell, ((BoolExpr*)node)->args) {
      List* const part = push(lfirst(cell), relation, table, expressions);
      if (part == NIL && is_or) return NIL;
      if (part != NIL) pushed = lappend(pushed, part);
    }
    return list_length(pushed) > 1 ? pushed : NIL;
  }
  return NIL;
}

bool steno_push_clause(Expr* clause, Index relation, const LogTable* table, List** tree, List** expressions) {
  List* more = list_copy(*expressions);
  List* const pushed = push((Node*)clause, relation, table, &more);
  if (pushed == NIL) return false;
  *expressions = more;
  *tree = lappend(*tree, pushed);
  return true;
}

// A subquery's result is shown as other parameters are: ruleutils.c wants the whole plan for it.
static Node* show_parameters(Node* node, void* context) {
  if (node == NULL) return NULL;
  if (IsA(node, Param)) {
    Param* const shown = copyObject((Param*)node);
    shown->paramkind = PARAM_EXTERN;
    return (Node*)shown;
  }
  return expression_tree_mutator(node, show_parameters, context);
}

static void describe(StringInfo out, const List* node, const List* expressions, const LogTable* table) {
  static const char* const kOperators[] = {"=", "<>", "<", "<=", ">", ">="};
  const NodeKind kind = integer_of(node, 0);
  if (kind == kCompare) {
    Node* const with = list_nth(expressions, integer_of(node, 3));
    char* const other = deparse_expression(show_parameters(with, NULL), NIL, false, false);
    appendStringInfo(out, "%s %s ", table->fields[integer_of(node, 1) - 1], kOperators[integer_of(node, 2)]);
    appendStringInfo(out, integer_of(node, 4) != 0 ? "ANY (%s)" : "%s", other);
    return;
  }
  appendStringInfoChar(out, '(');
  for (int i = 1; i < list_length(node); ++i) {
    if (i > 1) appendStringInfoString(out, kind == kOr ? " OR " : " AND ");
    describe(out, list_nth(node, i), expressions, table);
  }
  appendStringInfoChar(out, ')');
}

char* steno_describe_clauses(const List* tree, const List* expressions, const LogTable* table) {
  StringInfoData out;
  ListCell* cell;
  initStringInfo(&out);
  foreach (cell, tree) {
    if (out.len > 0) appendStringInfoString(&out, " AND ");
    describe(&out, lfirst(cell), expressions, table);
  }
  return out.data;
}

static void narrow(const PushedClauses* clauses, const List* node, TimestampTz* since, TimestampTz* until) {
  const NodeKind kind = integer_of(node, 0);
  if (kind == kAnd) {
    for (int i = 1; i < list_length(node); ++i) narrow(clauses, list_nth(node, i), since, until);
  } else if (kind == kCompare && integer_of(node, 4) == 0 && !clauses->nulls[integer_of(node, 3)]) {
    const char* const field = clauses->table->fields[integer_of(node, 1) - 1];
    const Operator op = integer_of(node, 2);
    TimestampTz time;
    if (clauses->types[integer_of(node, 3)] != TIMESTAMPTZOID || strcmp(field, "time") != 0) return;
    time = DatumGetTimestampTz(clauses->values[integer_of(node, 3)]);
    // In SQL a record's time is without its nanoseconds: what is greater may be equal.
    if (op == kEqual || op == kGreater || op == kGreaterEqual) *since = Max(*since, time);
    if (op == kLess) *until = Min(*until, time);
    if ((op == kEqual || op == kLessEqual) && time < DT_NOEND) *until = Min(*until, time + 1);
  }
}

bool steno_pushed_times(const PushedClauses* clauses, TimestampTz* since, TimestampTz* until) {
  // The times that nanoseconds since 1970 can be.
  const TimestampTz last = kLeastTime + PG_INT64_MAX / 1000 - 1;
  ListCell* cell;
  *since = kLeastTime;
  *until = last;
  foreach (cell, clauses->tree) {
    narrow(clauses, lfirst(cell), since, until);
  }
  return *since < *until;
}

// The form of a part of the condition for a statement.
typedef enum Truth { kNever, kPerhaps, kWritten } Truth;  // kWritten: as a text

// For an integer column: the constant as an integer that the comparison is the same with.
static Truth write_integer(StringInfo out, Oid type, Datum value, Operator op) {
  int64 number;
  if (type == NUMERICOID) {
    const bool is_up = op == kLess || op == kGreaterEqual;
    const Numeric numeric = DatumGetNumeric(value);
    const Datum whole = DirectFunctionCall1(is_up ? numeric_ceil : numeric_floor, NumericGetDatum(numeric));
    const char* const text = DatumGetCString(DirectFunctionCall1(numeric_out, whole));
    char* end;
    if (numeric_is_nan(numeric) || numeric_is_inf(numeric)) return kPerhaps;
    errno = 0;
    number = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0') return kPerhaps;
    if ((op == kEqual || op == kUnequal) &&
        !DatumGetBool(DirectFunctionCall2(numeric_eq, whole, NumericGetDatum(numeric)))) {
      return op == kEqual ? kNever : kPerhaps;
    }
  } else {
    number = type == INT2OID ? DatumGetInt16(value) : type == INT4OID ? DatumGetInt32(value) : DatumGetInt64(value);
  }
  appendStringInfo(out, INT64_FORMAT, number);
  return kWritten;
}

static Truth write_real(StringInfo out, Datum value) {
  const double number = DatumGetFloat8(value);
  if (isnan(number) || isinf(number)) return kPerhaps;
  appendStringInfo(out, "%.17g", number);
  return kWritten;
}

static Truth write_text(StringInfo out, Datum value) {
  char* const given = text_to_cstring(DatumGetTextPP(value));
  const int encoding = GetDatabaseEncoding();
  const char* utf8;
  // A sequence for which this database has no character is read as one.
  if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII && strchr(given, '?') != NULL) return kPerhaps;
  utf8 = pg_server_to_any(given, (int)strlen(given), PG_UTF8);
  appendStringInfoChar(out, '"');
  for (const char* c = utf8; *c != '\0'; ++c) {
    if (*c == '\n') {
      appendStringInfoString(out, "\\n");
    } else {
      if (*c == '"' || *c == '\\') appendStringInfoChar(out, '\\');
      appendStringInfoChar(out, *c);
    }
  }
  appendStringInfoChar(out, '"');
  return kWritten;
}

static Truth write_level(StringInfo out, Datum value) {
  static const char* const kNames[] = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  char* const name = text_to_cstring(DatumGetTextPP(value));
  for (int i = 0; i < (int)lengthof(kNames); ++i) {
    if (strcmp(name, kNames[i]) != 0) continue;
    appendStringInfoString(out, name);
    return kWritten;
  }
  return kPerhaps;
}

static Truth write_comparison(StringInfo out, const char* field, char kind, Oid type, Datum value, Operator op) {
  static const char* const kOperators[] = {"==", "!=", "<", "<=", ">", ">="};
  static const char* const kNegated[] = {"!=", "==", ">=", ">", "<=", "<"};
  const int before = out->len;
  const bool is_level = strcmp(field, "level") == 0;
  // To PostgreSQL NaN is the greatest number, to others no comparison with it is true.
  const bool is_negated = kind == 'g' && (op == kGreater || op == kGreaterEqual);
  const bool is_less = kind == 'L' && (op == kLess || op == kLessEqual);
  int number_at;
  Truth truth;
  if (is_less) appendStringInfoChar(out, '(');
  appendStringInfo(out, is_level ? "%s%s %s " : "%s{%s} %s ", is_negated ? "not " : "", field,
                   (is_negated ? kNegated : kOperators)[op]);
  number_at = out->len;
  truth = is_level      ? write_level(out, value)
          : kind == 's' ? write_text(out, value)
          : kind == 'g' ? write_real(out, value)
                        : write_integer(out, type, value, op);
  // To SQL a number from 2^63 on is negative.
  if (kind == 'L' && truth == kWritten) {
    if (out->data[number_at] == '-') truth = kPerhaps;
    if (is_less) appendStringInfo(out, " or {%s} >= 9223372036854775808)", field);
  }
  if (truth != kWritten) {
    out->len = before;
    out->data[before] = '\0';
  }
  return truth;
}

static Truth write_any(StringInfo out, const char* field, char kind, Datum array_datum) {
  enum { kMost = 200 };
  ArrayType* const array = DatumGetArrayTypeP(array_datum);
  Datum* elements;
  bool* nulls;
  int count;
  int written = 0;
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
  deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, &elements, &nulls, &count);
  if (count > kMost) return kPerhaps;
  for (int i = 0; i < count; ++i) {
    const int before = out->len;
    Truth truth;
    if (nulls[i]) continue;
    appendStringInfoString(out, written > 0 ? " or " : "(");
    truth = write_comparison(out, field, kind, ARR_ELEMTYPE(array), elements[i], kEqual);
    if (truth == kPerhaps) return kPerhaps;
    if (truth == kNever) out->len = before;
    written += truth == kWritten;
  }
  if (written == 0) return kNever;
  appendStringInfoChar(out, ')');
  return kWritten;
}

// How a column of this type can be compared where the field is what it is: i, L (unsigned, of 64 bits), g, s; 0: not at
// all.
static char kind_of(const LogScan* scan, const char* field, Oid type, bool* is_there) {
  static const char* const kOfReader[] = {"time",   "severity", "thread", "tid",       "logger", "file",
                                          "format", "function", "line",   "stable_id", "ticks",  "session",
                                          "ring",   "sequence", "pid",    "program",   "host",   "message"};
  const char stored = steno_field_type(scan, field);
  *is_there = true;
  for (int i = 0; i < (int)lengthof(kOfReader); ++i) {
    if (strcmp(field, kOfReader[i]) == 0) return 0;
  }
  *is_there = stored != '\0' || strcmp(field, "primary_message") == 0;
  if (type == TEXTOID) return stored == 's' ? 's' : 0;
  if (type == INT8OID) return stored == 'i' || stored == 'L' ? stored : 0;
  return type == FLOAT8OID && stored == 'g' ? 'g' : 0;
}

static Truth write_leaf(StringInfo out, const PushedClauses* clauses, const LogScan* scan, const List* node) {
  const int column = integer_of(node, 1) - 1;
  const int value = integer_of(node, 3);
  const char* const field = clauses->table->fields[column];
  bool is_there;
  const char kind = kind_of(scan, field, clauses->table->types[column], &is_there);
  if (!is_there || clauses->nulls[value]) return kNever;  // a comparison with NULL is not true
  if (kind == 0) return kPerhaps;
  if (integer_of(node, 4) != 0) return write_any(out, field, kind, clauses->values[value]);
  return write_comparison(out, field, kind, clauses->types[value], clauses->values[value], integer_of(node, 2));
}

static Truth write_node(StringInfo out, const PushedClauses* clauses, const LogScan* scan, const List* node) {
  const NodeKind kind = integer_of(node, 0);
  const int before = out->len;
  int written = 0;
  if (kind == kCompare) return write_leaf(out, clauses, scan, node);
  for (int i = 1; i < list_length(node); ++i) {
    const int begin = out->len;
    Truth truth;
    appendStringInfoString(out, written == 0 ? "(" : kind == kOr ? " or " : " and ");
    truth = write_node(out, clauses, scan, list_nth(node, i));
    if (truth == kWritten) {
      ++written;
      continue;
    }
    out->len = begin;
    if ((truth == kNever) == (kind == kAnd)) {
      out->len = before;
      return truth;  // it decides
    }
  }
  if (written == 0) return kind == kOr ? kNever : kPerhaps;
  appendStringInfoChar(out, ')');
  return kWritten;
}

char* steno_pushed_condition(void* context, const LogScan* scan, bool* skip) {
  const PushedClauses* const clauses = context;
  StringInfoData out;
  ListCell* cell;
  initStringInfo(&out);
  *skip = false;
  foreach (cell, clauses->tree) {
    const int begin = out.len;
    Truth truth;
    if (out.len > 0) appendStringInfoString(&out, " and ");
    truth = write_node(&out, clauses, scan, lfirst(cell));
    if (truth == kNever) *skip = true;
    if (truth != kWritten) out.len = begin;
    out.data[out.len] = '\0';
  }
  return out.len > 0 ? out.data : NULL;
}
