import { command, rest } from '@botwright/framework'

/** Takes longer than a click may wait, and sometimes longer than a handler may run. */
export default command({
  description: 'Answers late',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Number(text) % 3 === 0 ? 25_000 : 4000)
      ctx.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    return `slow ${text}`
  },
})
