// The functions' types are wanted, not the macros that check their arguments.
#define CURL_DISABLE_TYPECHECK
#include "probes/curl_library.h"

#include <dlfcn.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace rdmadiag::probes {
namespace {

constexpr const char* kName = "libcurl.so.4";

template <class Function>
void find(void* library, const char* name, Function& function, std::string& problem) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && problem.empty()) problem = std::string(kName) + " has no " + name;
}

CurlLibrary load() {
  CurlLibrary curl;
  void* library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    curl.problem = dlerror();
    return curl;
  }
  find(library, "curl_global_init", curl.global_init, curl.problem);
  find(library, "curl_easy_init", curl.easy_init, curl.problem);
  find(library, "curl_easy_cleanup", curl.easy_cleanup, curl.problem);
  find(library, "curl_easy_reset", curl.easy_reset, curl.problem);
  find(library, "curl_easy_setopt", curl.easy_setopt, curl.problem);
  find(library, "curl_easy_getinfo", curl.easy_getinfo, curl.problem);
  find(library, "curl_easy_strerror", curl.easy_strerror, curl.problem);
  find(library, "curl_multi_init", curl.multi_init, curl.problem);
  find(library, "curl_multi_cleanup", curl.multi_cleanup, curl.problem);
  find(library, "curl_multi_add_handle", curl.multi_add_handle, curl.problem);
  find(library, "curl_multi_remove_handle", curl.multi_remove_handle, curl.problem);
  find(library, "curl_multi_perform", curl.multi_perform, curl.problem);
  find(library, "curl_multi_info_read", curl.multi_info_read, curl.problem);
  find(library, "curl_multi_poll", curl.multi_poll, curl.problem);
  find(library, "curl_slist_append", curl.slist_append, curl.problem);
  find(library, "curl_slist_free_all", curl.slist_free_all, curl.problem);
  if (curl.problem.empty()) curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary curl = load();
  return curl;
}

}  // namespace rdmadiag::probes
