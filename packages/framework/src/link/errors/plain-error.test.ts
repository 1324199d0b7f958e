import { BotwrightError } from '@botwright/protocol'
import { ServiceError } from '@botwright/rest'
import { expect, test } from 'vitest'
import { fromPlainError, toPlainError } from './plain-error.ts'

const travel = (error: unknown) => fromPlainError(structuredClone(toPlainError(error)))

test('the error of a refused call keeps its class and fields in another thread', async () => {
  const facts = { status: 429, endpoint: 'messages.create', retryAfterSeconds: 7 }
  const error = await travel(new ServiceError('ERR_RATE_LIMITED', 'slow down', facts))
  expect(error).toBeInstanceOf(ServiceError)
  expect(error).toMatchObject({ code: 'ERR_RATE_LIMITED', message: 'slow down', name: 'ServiceError', ...facts })
})

test('other errors keep their code, message and stack, and their class if it is BotwrightError', async () => {
  expect(await travel(new BotwrightError('ERR_CONFIG', 'no'))).toBeInstanceOf(BotwrightError)
  const plain = Object.assign(new TypeError('odd'), { code: 'EODD' })
  expect(await travel(plain)).toMatchObject({ name: 'TypeError', message: 'odd', code: 'EODD', stack: plain.stack })
  expect(await travel('a text')).toMatchObject({ message: 'a text' })
})
