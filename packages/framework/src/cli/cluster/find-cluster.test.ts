import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCluster } from './find-cluster.ts'

test('a bot without the package is told what to install: from a registry, or from the folder that create-bot has packed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-cluster-'))
  const told = () => findCluster('redis://127.0.0.1:1', folder, 'framework start --cluster')
  try {
    const needs = 'framework start --cluster needs @botwright/cluster: npm i '
    await expect(told()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: `${needs}@botwright/cluster` })
    mkdirSync(join(folder, 'packages.local'))
    writeFileSync(join(folder, 'packages.local/botwright-cluster-0.1.0.tgz'), '')
    await expect(told()).rejects.toMatchObject({ message: `${needs}./packages.local/botwright-cluster-0.1.0.tgz` })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
