// A handler without a framework: it checks the signature, and posts the text of /echo.
const encoder = new TextEncoder()
let key

export default {
  async fetch(request, env, ctx) {
    if (request.method !== 'POST') return new Response(null, { status: 404 })
    key ??= await crypto.subtle.importKey(
      'raw',
      encoder.encode(env.BOT_WEBHOOK_SECRET),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    const body = await request.arrayBuffer()
    const [scheme, hex = ''] = (request.headers.get('x-service-signature') ?? '').split('=')
    const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    if (scheme !== 'sha256' || !(await crypto.subtle.verify('HMAC', key, bytes, body)))
      return new Response(null, { status: 401 })
    const { event, data } = JSON.parse(new TextDecoder().decode(body))
    if (event === 'message' && data.content.startsWith('/echo ')) ctx.waitUntil(reply(env, data))
    return new Response(null)
  },
}

async function reply(env, { channel_id, content }) {
  const response = await fetch(`${env.BOT_BASE_URL}/channels/${channel_id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${env.BOT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: content.slice('/echo '.length) }),
  })
  if (!response.ok) throw new Error(`the message was refused: ${response.status}`)
  return response.json()
}
