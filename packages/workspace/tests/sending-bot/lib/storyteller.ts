import { setTimeout as sleep } from 'node:timers/promises'

/** Takes the place of a language model: a story, word by word. */
export async function* tell(about: string): AsyncGenerator<string> {
  const story = `Once upon a time there was ${about}. Nobody knew where ${about} came from, and nobody asked. The end.`
  for (const word of story.split(' ')) {
    await sleep(50)
    yield `${word} `
  }
}
