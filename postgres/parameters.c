// Values of a statement's parameters: in columns of their types, and as text.
#include "parameters.h"

#include "parameter_types.h"
#include "record.h"
#include "statement_record.h"

#include "catalog/pg_type_d.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

static bool is_number_as_text(Oid type) {
  return type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
}

static bool must_not_read_catalogs;

// The output function of a type that is known without a look at the catalog; 0: of another one.
static Oid known_output(Oid type) {
  static const struct {
    Oid type;
    Oid output;
  } kKnown[] = {{NUMERICOID, F_NUMERIC_OUT},
                {UUIDOID, F_UUID_OUT},
                {DATEOID, F_DATE_OUT},
                {TIMEOID, F_TIME_OUT},
                {INTERVALOID, F_INTERVAL_OUT},
                {JSONOID, F_JSON_OUT},
                {JSONBOID, F_JSONB_OUT},
                {NAMEOID, F_NAMEOUT},
                {BYTEAOID, F_BYTEAOUT},
                {BOOLOID, F_BOOLOUT},
                {INT2OID, F_INT2OUT},
                {INT4OID, F_INT4OUT},
                {INT8OID, F_INT8OUT},
                {OIDOID, F_OIDOUT},
                {FLOAT4OID, F_FLOAT4OUT},
                {FLOAT8OID, F_FLOAT8OUT},
                {TIMESTAMPOID, F_TIMESTAMP_OUT},
                {TIMESTAMPTZOID, F_TIMESTAMPTZ_OUT}};
  for (int i = 0; i < (int)lengthof(kKnown); ++i) {
    if (kKnown[i].type == type) return kKnown[i].output;
  }
  return InvalidOid;
}

static bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

// Returns whether the text of a value can be had without a look at a catalog or a table.
static bool is_at_hand(Oid type, Datum value) {
  const bool is_long = type == NUMERICOID || type == JSONOID || type == JSONBOID || type == BYTEAOID || is_text(type);
  return (is_text(type) || known_output(type) != InvalidOid) &&
         !(is_long && VARATT_IS_EXTERNAL(DatumGetPointer(value)));
}

// The text of a value, cut; what is cut off is counted. In the current memory context.
static struct steno_detail_bytes text_of(Oid type, Datum value) {
  const int most = steno_parameter_max_length;
  struct steno_detail_bytes text;
  struct steno_text utf8;
  if (must_not_read_catalogs && !is_at_hand(type, value)) return (struct steno_detail_bytes){"?", 1};
  if (is_text(type)) {
    struct varlena* const packed = PG_DETOAST_DATUM_PACKED(value);
    text.data = VARDATA_ANY(packed);
    text.size = VARSIZE_ANY_EXHDR(packed);
  } else {
    Oid output = known_output(type);
    bool is_varlena;
    if (output == InvalidOid) getTypeOutputInfo(type, &output, &is_varlena);
    text.data = OidOutputFunctionCall(output, value);
    text.size = strlen(text.data);
  }
  if (most >= 0 && text.size > (size_t)most) {
    const int kept = pg_mbcliplen(text.data, (int)text.size, most);
    text.data = psprintf("%.*s...[+%d bytes]", kept, (const char*)text.data, (int)text.size - kept);
    text.size = strlen(text.data);
  }
  steno_begin_texts();
  utf8 = steno_utf8(text.data, text.size);
  text.data = memcpy(palloc(Max(utf8.size, 1)), utf8.data, utf8.size);  // may go before the record is written
  text.size = utf8.size;
  return text;
}

// A value of a column; returns its code.
static char take_value(Oid type, Datum datum, struct steno_detail_value* value) {
  int64 number;
  char code;
  switch (type) {
    case BOOLOID:
      number = DatumGetBool(datum);
      code = 'b';
      break;
    case INT2OID:
      number = DatumGetInt16(datum);
      code = 's';
      break;
    case INT4OID:
      number = DatumGetInt32(datum);
      code = 'i';
      break;
    case INT8OID:
      number = DatumGetInt64(datum);
      code = 'l';
      break;
    case OIDOID:
      number = DatumGetObjectId(datum);
      code = 'j';
      break;
    case FLOAT4OID: {
      const float4 real = DatumGetFloat4(datum);
      memcpy(&number, &real, sizeof real);
      code = 'f';
      break;
    }
    case FLOAT8OID: {
      const float8 real = DatumGetFloat8(datum);
      memcpy(&number, &real, sizeof real);
      code = 'd';
      break;
    }
    case TIMESTAMPOID:
    case TIMESTAMPTZOID: {
      const Timestamp time = DatumGetTimestamp(datum);
      const int64 epoch = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
      if (TIMESTAMP_NOT_FINITE(time) || time > PG_INT64_MAX - epoch) {
        value->of.string = text_of(type, datum);
        return 'S';
      }
      number = time + epoch;
      code = kTimeCode;
      break;
    }
    default:
      value->of.string = text_of(type, datum);
      return 'S';
  }
  memcpy(value->of.number, &number, sizeof number);
  return code;
}

// Appends a value as text: numbers and truth values as they are, others in quotes, and quotes within these doubled.
static void append_value(StringInfo out, Oid type, Datum datum) {
  struct steno_detail_value value;
  const char code = take_value(type, datum, &value);
  const struct steno_detail_bytes text = code == 'S' ? value.of.string : text_of(type, datum);
  const bool quoted = (code == 'S' && !is_number_as_text(type)) || code == kTimeCode;
  if (code == 'b') {
    appendStringInfoString(out, value.of.number[0] != 0 ? "true" : "false");
    return;
  }
  if (quoted) appendStringInfoChar(out, '\'');
  for (size_t i = 0; i < text.size; ++i) {
    const char c = ((const char*)text.data)[i];
    if (quoted && c == '\'') appendStringInfoChar(out, c);
    appendStringInfoCharMacro(out, c);
  }
  if (quoted) appendStringInfoChar(out, '\'');
}

static const char* others_of(ParamListInfo parameters, int first) {
  StringInfoData out;
  if (first >= parameters->numParams) return "";
  initStringInfo(&out);
  for (int i = first; i < parameters->numParams; ++i) {
    const ParamExternData* const parameter = &parameters->params[i];
    if (i > 0) appendStringInfoString(&out, ", ");
    if (parameter->isnull || !OidIsValid(parameter->ptype)) {
      appendStringInfoString(&out, "NULL");
    } else {
      append_value(&out, parameter->ptype, parameter->value);
    }
  }
  return out.data;
}

Parameters* steno_take_parameters(ParamListInfo parameters, Parameters* room) {
  Parameters* const taken = room != NULL ? room : palloc(sizeof *taken);
  const int typed = Min(parameters->numParams, kTypedParameters);
  taken->types = 0;
  taken->number_bytes = 0;
  taken->text_count = 0;
  for (int i = 0; i < typed; ++i) {
    const ParamExternData* const parameter = &parameters->params[i];
    struct steno_detail_value value;
    const bool is_null = parameter->isnull || !OidIsValid(parameter->ptype);
    const char code = is_null ? kNullCode : take_value(parameter->ptype, parameter->value, &value);
    if (code == 'S') {
      const uint32 size = (uint32)value.of.string.size;
      taken->texts[taken->text_count++] = value.of.string;
      memcpy(value.of.number, &size, sizeof size);
    }
    if (!is_null) {
      memcpy(taken->numbers + taken->number_bytes, value.of.number, 8);  // of which its first bytes count
      taken->number_bytes += steno_size_of(steno_letter_of(code));
    }
    taken->types |= (uint64)(unsigned char)code << 8 * i;
  }
  if (steno_has_columns_for(taken->types)) {
    taken->others = others_of(parameters, typed);
  } else {
    taken->types = 0;
    taken->number_bytes = 0;
    taken->text_count = 0;
    taken->others = others_of(parameters, 0);
  }
  return taken;
}

Parameters* steno_take_parameters_of_failed(ParamListInfo parameters) {
  Parameters* taken;
  must_not_read_catalogs = true;
  PG_TRY();
  { taken = steno_take_parameters(parameters, NULL); }
  PG_FINALLY();
  { must_not_read_catalogs = false; }
  PG_END_TRY();
  return taken;
}
