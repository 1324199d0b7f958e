import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { plantedFaults } from './planted.ts'
import { rareBranches } from './rare.ts'

test.each([...plantedFaults, ...rareBranches])('the source has the place of a change: $name', ({ file, from }) => {
  const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
  expect(text.split(from)).toHaveLength(2)
})

test('planted faults have names of their own', () => {
  expect(new Set(plantedFaults.map(({ name }) => name)).size).toBe(plantedFaults.length)
})
