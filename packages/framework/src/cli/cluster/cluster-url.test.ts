import { expect, test } from 'vitest'
import { readConfig } from '../../runtime/config/read-config.ts'
import { passwordsOf } from '../../link/redaction.ts'
import { clusterUrl } from './cluster-url.ts'

const redis = 'redis://127.0.0.1:6379'

test('the command line comes before BOT_CLUSTER_URL, and that before bot.config.ts', () => {
  const config = { cluster: { url: 'redis://file' } }
  expect(clusterUrl({}, {})).toBeUndefined()
  expect(clusterUrl({}, { BOT_CLUSTER_URL: ' ' })).toBeUndefined()
  expect(clusterUrl(config, {})).toBe('redis://file')
  expect(clusterUrl(config, { BOT_CLUSTER_URL: redis })).toBe(redis)
  expect(clusterUrl(config, { BOT_CLUSTER_URL: redis }, 'redis://given')).toBe('redis://given')
})

test('the file may name a variable; one that is not set is told', () => {
  expect(clusterUrl({ cluster: { url: 'REDIS_URL' } }, { REDIS_URL: redis })).toBe(redis)
  expect(clusterUrl({ cluster: {} }, { BOT_CLUSTER_URL: redis })).toBe(redis)
  for (const [cluster, name] of [
    [{}, 'BOT_CLUSTER_URL'],
    [{ url: 'REDIS_URL' }, 'REDIS_URL'],
  ] as const)
    expect(() => clusterUrl({ cluster }, {})).toThrow(`${name} is not set, and bot.config.ts has a cluster`)
})

test('a password does not stand in a file of the bot, and in no error', () => {
  const url = 'rediss://user:pass%2Fword@cache:6380'
  expect(passwordsOf(url)).toEqual(['pass%2Fword', 'pass/word'])
  expect(() => clusterUrl({ cluster: { url } }, {})).toThrow(
    /^(?!.*pass%2F).*cluster\.url holds a password.*BOT_CLUSTER_URL/,
  )
  expect(clusterUrl({}, { BOT_CLUSTER_URL: url })).toBe(url)
})

test('what is neither an address nor a name is refused by its field', async () => {
  await expect(readConfig({ cluster: { url: 'localhost' } })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining('bot.config.ts: cluster.url must be a URL such as redis://127.0.0.1:6379'),
  })
  expect((await readConfig({ cluster: { url: redis } })).cluster).toEqual({ url: redis })
})
