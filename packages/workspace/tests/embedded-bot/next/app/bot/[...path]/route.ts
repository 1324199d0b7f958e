const answer = async (request: Request): Promise<Response> =>
  (await globalThis.bot?.fetch(request)) ?? new Response('the bot is starting', { status: 503 })

export const dynamic = 'force-dynamic'
export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
