import { common, createLowlight } from 'lowlight'

/** A part of highlighted code: text, or parts with the class of a color. */
export type Part = string | { class: string; parts: Part[] }

type Node = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number]

const lowlight = createLowlight(common)

const partOf = (node: Node): Part[] => {
  if (node.type === 'text') return [node.value]
  if (node.type !== 'element') return []
  const classes = node.properties['className']
  return [{ class: Array.isArray(classes) ? classes.join(' ') : '', parts: node.children.flatMap(partOf) }]
}

/** Highlights code in a language that is known by this name, such as `ts`. This module is large, so the page loads it for the first code. */
export function highlight(code: string, language: string): Part[] | undefined {
  return lowlight.registered(language) ? lowlight.highlight(language, code).children.flatMap(partOf) : undefined
}
