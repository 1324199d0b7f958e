import type { Document, MadeCall } from './schema-calls.test.fixture.ts'

/** The world for the calls: one server with everything, and a second one. */
export const abusedWorld = {
  people: [{ username: 'ann', token: 'token-of-ann' }, { username: 'bob', token: 'token-of-bob' }, { username: 'eve' }],
  bots: [
    { username: 'helper', owner: 'ann', token: 'token-of-helper' },
    { username: 'pollster', owner: 'ann', token: 'token-of-pollster' },
    { username: 'stranger', owner: 'eve', token: 'token-of-stranger' },
  ],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob', 'eve'],
      bots: ['helper', 'pollster'],
      roles: [
        { name: 'crew', position: 1 },
        {
          name: 'bots',
          position: 5,
          members: ['helper'],
          permissions: [
            ...['manage_messages', 'manage_roles', 'kick_members', 'ban_members', 'timeout_members', 'manage_channels'],
            ...['manage_nicknames', 'move_members', 'manage_webhooks', 'manage_server', 'mention_everyone'],
          ] as 'manage_messages'[],
        },
      ],
      categories: [{ name: 'Talk' }],
      channels: [
        { name: 'general' },
        { name: 'talk', category: 'Talk' },
        { name: 'staff', private: true },
        { name: 'Lounge', type: 'voice' as const },
      ],
    },
    { name: 'Annex', owner: 'eve', bots: ['pollster'], channels: [{ name: 'annex' }] },
  ],
}

export const botAuthorizations = [
  ...Array<string>(12).fill('Bot token-of-helper'),
  ...Array<string>(6).fill('Bot token-of-pollster'),
  ...['Bot token-of-stranger', 'Bot wrong', 'nonsense', ''],
]
export const personAuthorizations = [
  ...Array<string>(12).fill('Person token-of-ann'),
  ...Array<string>(4).fill('Person token-of-bob'),
  ...['Person wrong', 'Bot token-of-helper', ''],
]

const unknown = '00000000-0000-0000-0000-000000000001'

interface World {
  people: Record<string, { id: string }>
  bots: Record<string, { id: string }>
  servers: Record<
    string,
    { id: string; channels: Record<string, string>; roles: Record<string, string>; categories: Record<string, string> }
  >
}

/** The ids of a running service by their names in paths and bodies, including a message posted in each channel. */
export async function idsOf(url: string, { people, bots, servers }: World): Promise<Record<string, string[]>> {
  const headers = { authorization: 'Bot token-of-helper', 'content-type': 'application/json' }
  const all = Object.values(servers)
  const user_id = [...Object.values(people), ...Object.values(bots)].map(({ id }) => id)
  const channel_id = all.flatMap(({ channels }) => Object.values(channels))
  const message_id: string[] = []
  for (const channel of channel_id) {
    const components = [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', custom_id: 'x' }] }]
    const body = JSON.stringify({ content: 'to be abused', components })
    const answer = await fetch(`${url}/v1/channels/${channel}/messages`, { method: 'POST', headers, body })
    const { id } = (await answer.json()) as { id?: string }
    if (id !== undefined) message_id.push(id)
  }
  const ids = {
    user_id,
    channel_id,
    message_id,
    reply_to: message_id,
    ids: message_id,
    bot_id: Object.values(bots).map(({ id }) => id),
    server_id: all.map(({ id }) => id),
    role_id: all.flatMap(({ roles }) => Object.values(roles)),
    category_id: all.flatMap(({ categories }) => Object.values(categories)),
  }
  return { ...ids, role_ids: ids.role_id, post_role_ids: ids.role_id, any: [...Object.values(ids).flat(), unknown] }
}

/** The OpenAPI documents that the service publishes. */
export async function documentsOf(url: string): Promise<{ bot: Document; people: Document }> {
  const read = async (path: string, base: string) => ({
    ...((await (await fetch(url + path)).json()) as Document),
    base,
  })
  return {
    bot: await read('/developers/openapi.json', '/v1'),
    people: await read('/people/openapi.json', '/people/v1'),
  }
}

export const describeCall = ({ method, path, headers, body }: MadeCall): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body ? Buffer.from(body).toString().slice(0, 2000) : ''}`
