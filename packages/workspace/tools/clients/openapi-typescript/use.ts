import createClient from 'openapi-fetch'
import type { paths as BotPaths } from './bot.ts'
import type { paths as PeoplePaths } from './people.ts'

const [origin, botToken, personToken, webhook_id = '', webhook_token = '', picture = ''] = process.argv.slice(2)
const bot = createClient<BotPaths>({ baseUrl: `${origin}/v1`, headers: { authorization: `Bot ${botToken}` } })
const people = createClient<PeoplePaths>({
  baseUrl: `${origin}/people/v1`,
  headers: { authorization: `Person ${personToken}` },
})

const { data: listed, error } = await bot.GET('/servers')
if (listed === undefined) throw new Error(error.error)
const { data: me } = await people.GET('/me')
const { response } = await bot.PUT('/me/avatar', {
  // openapi-typescript gives a file the type of its text.
  body: { file: picture },
  bodySerializer() {
    const form = new FormData()
    form.append('file', new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' }), 'avatar.png')
    return form
  },
})
const { data: posted } = await bot.POST('/{webhook_id}/{webhook_token}', {
  baseUrl: `${origin}/webhooks`,
  params: { path: { webhook_id, webhook_token }, query: { wait: 'true' } },
  body: { content: 'built' },
})
// @ts-expect-error The type of the response is known: a name is not a number.
export const wrong: number = listed.servers[0]!.name
const servers = listed.servers.map(({ name }) => name)
console.log(JSON.stringify({ servers, name: me?.person.username, avatar: response.status, content: posted?.content }))
