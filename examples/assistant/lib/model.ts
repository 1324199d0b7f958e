import { onDispose } from '@botwright/framework'
import type { ModelPart, ModelRequest } from './model-types.ts'
import { startStandIn } from './stand-in-model.ts'

const MAX_LINE = 100_000

let standIn: ReturnType<typeof startStandIn> | undefined
onDispose(async () => (await standIn)?.close())

/** Asks the model, and yields what it sends as it arrives: a line of JSON for each part. Replace this by the client of a real model. */
export async function* callModel(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  const { url } = await (standIn ??= startStandIn())
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(request), signal })
  if (!response.ok || !response.body) throw new Error(`the model answered ${response.status}`)
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new Error('the model sent a line that is too long')
    for (const line of lines) yield JSON.parse(line) as ModelPart
  }
  if (rest !== '') throw new Error('the model stopped in the middle of a line')
}
