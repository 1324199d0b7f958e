import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { documented } from './reference-groups.ts'

test('every package with an API report has a reference page', () => {
  const packages = fileURLToPath(new URL('../../../', import.meta.url))
  const reported = readdirSync(packages).filter((name) => existsSync(`${packages}${name}/api.md`))
  expect(documented.toSorted()).toEqual(reported.toSorted())
})
