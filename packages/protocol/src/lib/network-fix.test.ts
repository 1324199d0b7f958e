import { expect, test } from 'vitest'
import { networkFix } from './network-fix.ts'

test.each([
  ['no connection to https://chat.example (CERT_HAS_EXPIRED)', /certificate.*clock/],
  ['no connection to https://chat.example (CERT_NOT_YET_VALID)', /certificate.*clock/],
  ['no connection to https://chat.example (ERR_TLS_CERT_ALTNAME_INVALID)', /certificate.*host name/],
  ['no connection to https://chat.example (DEPTH_ZERO_SELF_SIGNED_CERT)', /NODE_EXTRA_CA_CERTS/],
  ['no connection to https://chat.example (UNABLE_TO_VERIFY_LEAF_SIGNATURE)', /NODE_EXTRA_CA_CERTS/],
  ['no connection to https://chat.example (ENOTFOUND)', /DNS/],
  ['no connection to https://chat.example (EAI_AGAIN)', /DNS/],
  ['no connection to https://chat.example (ECONNREFUSED)', /nothing listens/],
  ['no connection to https://chat.example through the proxy http://proxy.example (ECONNREFUSED)', /proxy/],
  ['no connection to https://chat.example through the proxy http://proxy.example (HTTP 407)', /password.*proxy/],
  ['no complete response within 40000 ms', /network/],
  ['the service answered 503', /operator/],
])('%s: names what to fix', (text, fix) => {
  expect(networkFix(text)).toMatch(fix)
})

test('an unknown error has no fix', () => {
  expect(networkFix('the response is not JSON')).toBeUndefined()
})
