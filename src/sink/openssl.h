// The functions of OpenSSL that steno uses. The library is loaded on demand, so that programs without TLS do not depend
// on it.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <string>

#include "steno/status.h"

namespace steno::sink {

// Each function of STENO_OPENSSL_FUNCTIONS, by its name.
#define STENO_OPENSSL_FUNCTIONS(F)      \
  F(OPENSSL_init_ssl)                   \
  F(TLS_client_method)                  \
  F(SSL_CTX_new)                        \
  F(SSL_CTX_free)                       \
  F(SSL_CTX_ctrl)                       \
  F(SSL_CTX_set_verify)                 \
  F(SSL_CTX_load_verify_locations)      \
  F(SSL_CTX_set_default_verify_paths)   \
  F(SSL_CTX_use_certificate_chain_file) \
  F(SSL_CTX_use_PrivateKey_file)        \
  F(SSL_CTX_check_private_key)          \
  F(SSL_CTX_set_default_passwd_cb)      \
  F(SSL_new)                            \
  F(SSL_free)                           \
  F(SSL_ctrl)                           \
  F(SSL_set_bio)                        \
  F(SSL_set_connect_state)              \
  F(SSL_set_cert_cb)                    \
  F(SSL_set1_host)                      \
  F(SSL_get0_param)                     \
  F(SSL_do_handshake)                   \
  F(SSL_get_error)                      \
  F(SSL_read)                           \
  F(SSL_write)                          \
  F(SSL_shutdown)                       \
  F(SSL_get_verify_result)              \
  F(X509_VERIFY_PARAM_set1_ip_asc)      \
  F(X509_verify_cert_error_string)      \
  F(ERR_get_error)                      \
  F(ERR_peek_error)                     \
  F(ERR_clear_error)                    \
  F(ERR_reason_error_string)            \
  F(BIO_new)                            \
  F(BIO_free)                           \
  F(BIO_s_mem)                          \
  F(BIO_read)                           \
  F(BIO_write)

struct OpenSsl {
#define STENO_MEMBER(name) decltype(&::name) name = nullptr;
  STENO_OPENSSL_FUNCTIONS(STENO_MEMBER)
#undef STENO_MEMBER

  // The complaint of this thread's latest call, which it forgets.
  std::string error() const;
};

// Loads it once, for as long as the process lives. Thread-safe.
Result<const OpenSsl*> load_openssl();

}  // namespace steno::sink
