// Values of a statement's parameters, as a line.
#include "steno_pg.h"

#include "catalog/pg_type_d.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static void append_number(StringInfo out, int64 value) {
  char digits[MAXINT8LEN + 1];
  appendBinaryStringInfo(out, digits, pg_lltoa(value, digits));
}

// In quotes, those within doubled; what is cut off is counted.
static void append_quoted(StringInfo out, const char* text, int size) {
  const int most = steno_parameter_max_length;
  const int kept = most >= 0 && size > most ? pg_mbcliplen(text, size, most) : size;
  int begin = 0;
  appendStringInfoCharMacro(out, '\'');
  for (int i = 0; i < kept; ++i) {
    if (text[i] != '\'') continue;
    appendBinaryStringInfo(out, text + begin, i + 1 - begin);
    begin = i;  // once more
  }
  appendBinaryStringInfo(out, text + begin, kept - begin);
  if (kept < size) appendStringInfo(out, "...[+%d bytes]", size - kept);
  appendStringInfoCharMacro(out, '\'');
}

static void append_value(StringInfo out, Oid type, Datum value) {
  switch (type) {
    case BOOLOID:
      appendStringInfoString(out, DatumGetBool(value) ? "true" : "false");
      return;
    case INT2OID:
      append_number(out, DatumGetInt16(value));
      return;
    case INT4OID:
      append_number(out, DatumGetInt32(value));
      return;
    case INT8OID:
      append_number(out, DatumGetInt64(value));
      return;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID: {
      struct varlena* const text = PG_DETOAST_DATUM_PACKED(value);
      append_quoted(out, VARDATA_ANY(text), (int)VARSIZE_ANY_EXHDR(text));
      return;
    }
    default: {
      Oid output;
      bool is_varlena;
      char* text;
      getTypeOutputInfo(type, &output, &is_varlena);
      text = OidOutputFunctionCall(output, value);
      switch (type) {
        case FLOAT4OID:
        case FLOAT8OID:
        case NUMERICOID:
        case OIDOID:
          appendStringInfoString(out, text);
          break;
        default:
          append_quoted(out, text, (int)strlen(text));
      }
      pfree(text);
    }
  }
}

char* steno_parameters_text(ParamListInfo parameters) {
  StringInfoData out;
  initStringInfo(&out);
  for (int i = 0; i < parameters->numParams; ++i) {
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
