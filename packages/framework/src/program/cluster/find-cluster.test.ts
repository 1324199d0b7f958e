import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCluster } from './find-cluster.ts'

test('names the package to install, from a registry or from the packages that create-bot packed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-cluster-'))
  const find = () => findCluster('redis://127.0.0.1:1', folder, 'framework start --cluster')
  try {
    const needs = 'framework start --cluster needs @botwright/cluster: npm i '
    await expect(find()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: `${needs}@botwright/cluster` })
    mkdirSync(join(folder, 'packages.local'))
    writeFileSync(join(folder, 'packages.local/botwright-cluster-0.1.0.tgz'), '')
    await expect(find()).rejects.toMatchObject({ message: `${needs}./packages.local/botwright-cluster-0.1.0.tgz` })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
