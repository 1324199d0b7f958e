import { expect, test } from 'vitest'
import { readAddress } from './address.ts'
import { isDemoted, isFull, reasonOf } from './reasons.ts'

const reset = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' })

test('a connection that the server closes: the reason depends on TLS and on the client certificate', () => {
  const plain = readAddress('redis://127.0.0.1')
  const tls = readAddress('rediss://127.0.0.1')
  const withCertificate = { ...tls, options: { ...tls.options, tls: { cert: 'PEM' } } }
  expect([plain, tls, withCertificate].map((address) => reasonOf(reset, address))).toEqual([
    'it closed the connection; write rediss:// if it uses TLS, otherwise check its log (write ECONNRESET)',
    'it closed the connection; if it requires a client certificate, give its files, ?cert=…&key=…; otherwise check its log (write ECONNRESET)',
    'it closed the connection; check its log and that its authority signed the client certificate (write ECONNRESET)',
  ])
})

test('a client certificate that the server does not accept', () => {
  const alert = Object.assign(new Error('80A0:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca'), {
    code: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  })
  expect(reasonOf(alert, readAddress('rediss://127.0.0.1'))).toMatch(
    /^it does not accept the client certificate; give the files of one that its authority signed, \?cert=…&key=…/,
  )
})

test.each([
  ['OOM command not allowed when used memory', true, false],
  ["READONLY You can't write against a read only replica. script: ab, on @user_script:1.", true, true],
  // In a script of Redis 6.2.
  ['ERR Error running script (call to f_ab): @user_script:2: @user_script: 2: -OOM command not allowed', true, false],
  ["ERR Error running script (call to f_ab): @user_script:2: @user_script: 2: -READONLY You can't write", true, true],
  ['ERR value is not an integer: READONLY', false, false],
])('%s: full %s, demoted %s', (message, full, demoted) => {
  expect([isFull(new Error(message)), isDemoted(new Error(message))]).toEqual([full, demoted])
})
