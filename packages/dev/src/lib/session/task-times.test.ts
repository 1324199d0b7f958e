import { expect, test } from 'vitest'
import { taskTimes } from './task-times.ts'

test('a store that never answers does not delay the start of a session', async () => {
  const never = () => new Promise<never>(() => {})
  const store = { get: never, set: never, delete: never, list: never }
  const definitions = [{ kind: 'task' as const, name: 'daily', file: 'tasks/daily.ts' }]
  expect(await taskTimes({ code: { definitions, commands: [] }, store }, {})).toEqual(new Map())
})
