// Texts as they are, in place of the C library's translations: PostgreSQL asks for these at its start, and with the
// sanitizer of addresses preloaded waits for ever for their lock.
char* bindtextdomain(const char* domain, const char* directory) {
  (void)domain;
  return (char*)directory;
}
char* bind_textdomain_codeset(const char* domain, const char* codeset) {
  (void)domain;
  return (char*)codeset;
}
char* textdomain(const char* domain) {
  return (char*)domain;
}
char* gettext(const char* text) {
  return (char*)text;
}
char* dgettext(const char* domain, const char* text) {
  (void)domain;
  return (char*)text;
}
char* dcgettext(const char* domain, const char* text, int category) {
  (void)domain;
  (void)category;
  return (char*)text;
}
char* ngettext(const char* one, const char* many, unsigned long count) {
  return (char*)(count == 1 ? one : many);
}
char* dngettext(const char* domain, const char* one, const char* many, unsigned long count) {
  (void)domain;
  return (char*)(count == 1 ? one : many);
}
