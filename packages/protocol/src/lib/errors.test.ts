import { expect, test } from 'vitest'
import { ErrorBody, WebhookErrorBody } from './error-bodies.ts'
import { BotwrightError, errorCodes, errorStatuses, webhookErrorCodes } from './errors.ts'

test('every code has a unique meaning', () => {
  const meanings = Object.values(errorCodes)
  expect(new Set(meanings).size).toBe(meanings.length)
  for (const [code, meaning] of Object.entries(errorCodes)) {
    expect(code).toMatch(/^ERR_[A-Z]+(_[A-Z]+)*$/)
    expect(meaning).not.toBe('')
  }
})

test('an error carries its code and keeps its cause', () => {
  const cause = new Error('socket closed')
  const error = new BotwrightError('ERR_NO_ANSWER', 'no answer', { cause })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'BotwrightError', code: 'ERR_NO_ANSWER', message: 'no answer', cause })
  expect(error.stack).toContain('errors.test.ts')
  expect('cause' in new BotwrightError('ERR_REFUSED', 'no')).toBe(false)
})

test('the statuses and the codes of channel webhooks are those of the specification (§7)', () => {
  expect(Object.keys(errorStatuses)).toEqual(['400', '401', '403', '404', '429'])
  const statuses = Object.entries(webhookErrorCodes).map(([code, { status }]) => [Number(code), status])
  expect(Object.fromEntries(statuses)).toEqual({ 10015: 404, 50027: 401, 50006: 400, 50035: 400, 50001: 403 })
})

test('an error body may have additional fields', () => {
  expect(ErrorBody.parse({ error: 'no', hint: 1 })).toEqual({ error: 'no', hint: 1 })
  expect(ErrorBody.safeParse({ message: 'no' }).success).toBe(false)
  expect(WebhookErrorBody.parse({ message: 'slow', code: 1, retry_after: 0.5 }).retry_after).toBe(0.5)
  expect(WebhookErrorBody.safeParse({ message: 'slow' }).success).toBe(false)
})
