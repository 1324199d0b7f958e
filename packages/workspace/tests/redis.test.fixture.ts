// The rig of Redis is in the package that owns it, and is not published: there is no name to import it by.
const rig = async (file: string) =>
  (await import(new URL(`../../cluster/src/lib/${file}.test.fixture.ts`, import.meta.url).href)) as unknown

/** A server of the test's own, which ends when it is disposed. */
export interface OwnServer extends AsyncDisposable {
  url: string
}

/** `redisServer` is undefined if there is no Redis on this computer. */
export const { startRedis, redisServer } = (await rig('redis-rig')) as {
  startRedis: () => Promise<OwnServer>
  redisServer: string | undefined
}

/** Starts a server that offers a Redis over HTTP. */
export const { startRest } = (await rig('redis-rest')) as {
  startRest: (redis: OwnServer) => Promise<OwnServer & { token: string }>
}
