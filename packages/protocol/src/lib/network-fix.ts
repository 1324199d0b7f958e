/** Failures on the way to the service, by the texts of their errors, and what to do about them. */
const fixes: readonly (readonly [RegExp, string])[] = [
  [/HTTP 407/, 'correct the user name and the password in the URL of the proxy'],
  [/CERT_HAS_EXPIRED/, 'the certificate of the service has expired: renew it, or correct the clock of this host'],
  [/CERT_NOT_YET_VALID/, 'the certificate of the service is not valid yet: correct the clock of this host'],
  [/ALTNAME_INVALID/, 'the certificate is for another host name: correct the host name in BOT_BASE_URL'],
  [
    /SELF_SIGNED|LEAF_SIGNATURE|ISSUER_CERT|CERT_UNTRUSTED|CERT_SIGNATURE/,
    'the authority of the certificate is unknown here: set NODE_EXTRA_CA_CERTS to the file of the certificate authority of your network',
  ],
  [
    /CERT_|SSL_|WRONG_VERSION_NUMBER|EPROTO/,
    'check the certificate of the service, and https:// or http:// in BOT_BASE_URL',
  ],
  [
    /answered 2\d\d with a (?:page of HTML|body that is not JSON)/,
    'a website or the login page of a network answers instead of the service: correct BOT_BASE_URL, or check the proxy and the network',
  ],
  [/through the proxy/, 'check the proxy in HTTPS_PROXY or HTTP_PROXY, and whether it may reach the service'],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'DNS does not know the host: check the host name in BOT_BASE_URL, and the DNS server of this host',
  ],
  [/ECONNREFUSED/, 'nothing listens there: start the service, or correct the port in BOT_BASE_URL'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|no complete response|no response within|CONNECT_TIMEOUT/,
    'check the network, the firewall and the proxy between this host and the service',
  ],
  [/EMFILE|ENFILE/, 'this process has too many open files: raise the limit (ulimit -n)'],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|the connection broke/,
    'wait, or check the network and the proxy: the connection broke',
  ],
  [/the service answered (?:5\d\d|408)/, 'wait, or contact the operator of the service: the bot recovers by itself'],
]

/** What to do about an error on the way to the service: `renew the certificate …`. Undefined for an unknown one. The text of the error must contain its code. */
export function networkFix(text: string): string | undefined {
  return fixes.find(([pattern]) => pattern.test(text))?.[1]
}
