import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { capacityRows, COSTS, simulateCapacity } from './capacity.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/large' } as const

const page = await readFile(new URL('../../../site/docs/how-large.md', import.meta.url), 'utf8')
const cells = (row: string): string[] => row.split('|').map((cell) => cell.trim())

test('the documentation has the table of the simulation', inAll, () => {
  const rows = page.split('\n').filter((line) => /^\| [\d,]+ +\|/.test(line))
  expect(rows.map(cells)).toEqual(capacityRows().map(cells))
})

test('the documentation has the costs that the simulation uses', () => {
  expect(page).toContain(`${COSTS.handlersAtOnce} handlers at once`)
  expect(page).toContain(`costs an instance ${COSTS.instanceMs} ms`)
  expect(page).toContain(`costs ${COSTS.redisMs} ms`)
  expect(page).toContain(`${COSTS.pollEvents} events in ${COSTS.pollMs} ms`)
})

test('a channel with more events than its handler can run waits, however many instances there are', () => {
  const { waitP99Ms: calm } = simulateCapacity({ servers: 1000, handlerMs: 5 })
  const { waitP99Ms: slow, instances } = simulateCapacity({ servers: 1000, handlerMs: 5000 })
  expect(calm).toBeLessThan(1)
  expect(slow).toBeGreaterThan(5000)
  expect(instances).toBe(1)
})
