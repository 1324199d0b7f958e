/** A number, always the same for the same ones. */
export function draw(seed: number, at: number, end: number): number {
  let t = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b)
  t = Math.imul(t ^ (t >>> 15), 0x2c1b3c6d)
  return ((t ^ (t >>> 13)) >>> 0) % end
}

/** A text with the marks of Markdown, longer than a message now and then. Only the names of languages contain the letter q. */
export function storyOf(seed: number): string {
  const parts = [`story ${seed}: `]
  const words = 20 + draw(seed, 0, 3) * draw(seed, 1, 300)
  let isCode = false
  for (let i = 1; i <= words; i++) {
    const word = `w${i}`
    const how = draw(seed, i + 1, 40)
    if (how === 0) {
      parts.push(isCode ? '\n```\n' : '\n```qq\n')
      isCode = !isCode
    }
    if (how === 1) parts.push('\n\n')
    if (isCode) parts.push(word, how === 2 ? '\n' : ' ')
    else if (how === 3) parts.push(`**${word}** `)
    else if (how === 4) parts.push(`\`${word}\` `)
    else if (how === 5) parts.push(`[${word}](https://e.example/${i}) `)
    else if (how === 6) parts.push(`\n- ${word} `)
    else if (how === 7) parts.push(`\n> *${word}* `)
    else if (how === 8) parts.push(`${word} 👩‍👩‍👧 `)
    else parts.push(`${word} `)
  }
  return parts.join('') + (isCode ? '\n```' : '')
}

/** The parts in which it comes, and the wait before each of them. */
export async function* parts(text: string, seed: number): AsyncGenerator<string> {
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = 1 + draw(seed, i + 1000, 250)
    await new Promise((resolve) => setTimeout(resolve, draw(seed, i + 2000, 4) * 300))
    yield text.slice(at, at + size)
    at += size
  }
}
