import { channelWebhooksExecute, meSetAvatar, serversList } from './bot/sdk.gen.ts'
import { client as bot } from './bot/client.gen.ts'
import { client as people } from './people/client.gen.ts'
import { meGet } from './people/sdk.gen.ts'

const [origin, botToken, personToken, webhook_id = '', webhook_token = '', picture = ''] = process.argv.slice(2)
bot.setConfig({ auth: `Bot ${botToken}` })
people.setConfig({ auth: `Person ${personToken}` })

const { data: listed } = await serversList({ throwOnError: true })
const { data: me } = await meGet({ throwOnError: true })
const file = new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' })
const { response } = await meSetAvatar({ body: { file }, throwOnError: true })
const { data: posted } = await channelWebhooksExecute({
  baseUrl: `${origin}/webhooks`,
  path: { webhook_id, webhook_token },
  body: { content: 'built' },
  query: { wait: 'true' },
  throwOnError: true,
})
if (posted === undefined) throw new Error('the post was answered without a message')
// @ts-expect-error The type of the response is known: a name is not a number.
export const wrong: number = listed.servers[0]!.name
// @ts-expect-error A picture is not text.
export const wrongFile: NonNullable<Parameters<typeof meSetAvatar>[0]>['body'] = { file: 'text' }
const servers = listed.servers.map(({ name }) => name)
console.log(JSON.stringify({ servers, name: me.person.username, avatar: response.status, content: posted.content }))
