import { expect, test } from 'vitest'
import { readConfig } from '../../runtime/config/read-config.ts'
import { passwordsOf } from '../../link/redaction.ts'
import { clusterUrl } from './cluster-url.ts'

const redis = 'redis://127.0.0.1:6379'

test('the command line takes precedence over BOT_CLUSTER_URL, which takes precedence over bot.config.ts', () => {
  const config = { cluster: { url: 'redis://file' } }
  expect(clusterUrl({}, {})).toBeUndefined()
  expect(clusterUrl({}, { BOT_CLUSTER_URL: ' ' })).toBeUndefined()
  expect(clusterUrl(config, {})).toBe('redis://file')
  expect(clusterUrl(config, { BOT_CLUSTER_URL: redis })).toBe(redis)
  expect(clusterUrl(config, { BOT_CLUSTER_URL: redis }, 'redis://given')).toBe('redis://given')
})

test('the configuration can name a variable; one that is not set is an error', () => {
  expect(clusterUrl({ cluster: { url: 'REDIS_URL' } }, { REDIS_URL: redis })).toBe(redis)
  expect(clusterUrl({ cluster: {} }, { BOT_CLUSTER_URL: redis })).toBe(redis)
  for (const [cluster, name] of [
    [{}, 'BOT_CLUSTER_URL'],
    [{ url: 'REDIS_URL' }, 'REDIS_URL'],
  ] as const)
    expect(() => clusterUrl({ cluster }, {})).toThrow(`${name} is not set, and bot.config.ts has a cluster`)
})

test('rejects a password in the configuration, without it in the error', () => {
  const url = 'rediss://user:pass%2Fword@cache:6380'
  expect(passwordsOf(url)).toEqual(['pass%2Fword', 'pass/word'])
  expect(() => clusterUrl({ cluster: { url } }, {})).toThrow(
    /^(?!.*pass%2F).*cluster\.url contains a password.*BOT_CLUSTER_URL/,
  )
  expect(clusterUrl({}, { BOT_CLUSTER_URL: url })).toBe(url)
})

test('rejects a value that is neither a URL nor a variable name, and names the field', async () => {
  await expect(readConfig({ cluster: { url: 'localhost' } })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining('bot.config.ts: cluster.url must be a URL such as redis://127.0.0.1:6379'),
  })
  expect((await readConfig({ cluster: { url: redis } })).cluster).toEqual({ url: redis })
})
