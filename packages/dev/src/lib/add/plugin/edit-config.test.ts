import { describe, expect, test } from 'vitest'
import { addToConfig, linesOf, newConfig } from './edit-config.ts'

const kudos = { specifier: '@acme/kudos', name: 'kudos', local: 'kudos', options: undefined }
const edited = (source: string, mount: Parameters<typeof addToConfig>[1] = kudos) => addToConfig(source, mount)

test.each([
  [
    'a configuration without plugins keeps its comments',
    `// The bot of the shop.
import { defineConfig } from '@botwright/framework'

export default defineConfig({
  // Answer what is still open.
  catchUp: { interaction: 'open' }, // since May
})
`,
    `// The bot of the shop.
import { defineConfig } from '@botwright/framework'
import kudos from '@acme/kudos'

export default defineConfig({
  // Answer what is still open.
  catchUp: { interaction: 'open' }, // since May
  plugins: { kudos: kudos() },
})
`,
  ],
  [
    'plugins on one line',
    `import a from 'a'
export default { plugins: { a: a({ b: 1 }) } }
`,
    `import a from 'a'
import kudos from '@acme/kudos'
export default { plugins: { a: a({ b: 1 }), kudos: kudos() } }
`,
  ],
  [
    'plugins on several lines, without a last comma, with double quotes and semicolons',
    `import a from "a";
const config = {
  plugins: {
    a: a() // the first
  }
};
export default config;
`,
    `import a from "a";
import kudos from "@acme/kudos";
const config = {
  plugins: {
    a: a(), // the first
    kudos: kudos(),
  }
};
export default config;
`,
  ],
  [
    'an empty configuration',
    `import { defineConfig } from '@botwright/framework'\nexport default defineConfig({})`,
    `import { defineConfig } from '@botwright/framework'\nimport kudos from '@acme/kudos'\nexport default defineConfig({ plugins: { kudos: kudos() } })`,
  ],
  [
    'plugins with only a comment',
    `export default {\n  plugins: {\n    // none yet\n  },\n}\n`,
    `import kudos from '@acme/kudos'\n\nexport default {\n  plugins: {\n    // none yet\n    kudos: kudos(),\n  },\n}\n`,
  ],
  [
    'lines of Windows',
    `import a from 'a'\r\nexport default {\r\n  plugins: {\r\n    a: a(),\r\n  },\r\n}\r\n`,
    `import a from 'a'\r\nimport kudos from '@acme/kudos'\r\nexport default {\r\n  plugins: {\r\n    a: a(),\r\n    kudos: kudos(),\r\n  },\r\n}\r\n`,
  ],
  [
    'a plugin that is imported, but not mounted',
    `import thanks from '@acme/kudos'\nexport default { plugins: {} }\n`,
    `import thanks from '@acme/kudos'\nexport default { plugins: { kudos: thanks() } }\n`,
  ],
  [
    'another value with its name',
    `const kudos = 1\nexport default { limits: { handlerSeconds: kudos } }\n`,
    `import kudosPlugin from '@acme/kudos'\n\nconst kudos = 1\nexport default { limits: { handlerSeconds: kudos }, plugins: { kudos: kudosPlugin() } }\n`,
  ],
])('edits %s', (_name, before, after) => {
  expect(edited(before)).toEqual({ text: after })
})

test('writes example options, on several lines if they are long', () => {
  const roles = { '🎨': 'painter', "gardener's": 'a "b"' }
  const short = edited('export default {}', { ...kudos, options: { to: ['a'], at: 1 } })
  expect(short).toMatchObject({ text: expect.stringContaining("plugins: { kudos: kudos({ to: ['a'], at: 1 }) }") })
  const options = { text: 'React with an emoji to get its role, and remove the reaction to lose it', roles }
  expect(edited('export default {\n  a: 1,\n}\n', { ...kudos, options })).toEqual({
    text: `import kudos from '@acme/kudos'

export default {
  a: 1,
  plugins: {
    kudos: kudos({
      text: 'React with an emoji to get its role, and remove the reaction to lose it',
      roles: { '🎨': 'painter', 'gardener\\'s': 'a "b"' },
    }),
  },
}
`,
  })
})

test('writes an object on several lines if one line is too long', () => {
  const text = 'React with an emoji to get its role, and remove the reaction to lose it'
  const options = { text, roles: { a: 'b' } }
  const lines = `    kudos: kudos({
      text: '${text}',
      roles: { a: 'b' },
    }),
  },
}`
  const before = 'export default {\n  plugins: '
  expect(edited(`${before}{ a: a({ b: [1, 2] }), c: c() },\n};`, { ...kudos, options })).toEqual({
    text: `import kudos from '@acme/kudos';\n\n${before}{\n    a: a({ b: [1, 2] }),\n    c: c(),\n${lines};`,
  })
  expect(edited(`${before}{},\n}`, { ...kudos, options })).toMatchObject({
    text: expect.stringContaining(`${before}{\n${lines}`),
  })
  expect(edited(`export default { limits: {} }`, { ...kudos, options })).toMatchObject({
    text: expect.stringContaining(`export default {\n  limits: {},\n  plugins: {\n${lines}`),
  })
  const short = `${before}{ a: a({ b: [1, 2] }), other: other({ channel: 'the news of the shop' }), third: third() },\n}`
  expect(edited(short)).toMatchObject({ text: expect.stringContaining('third: third(),\n    kudos: kudos(),\n  },') })
})

test('keeps the line ends of Windows and a byte order mark', () => {
  const options = { text: 'React with an emoji to get its role, and remove the reaction to lose it', roles: { a: 'b' } }
  const source = '\ufeffexport default {\r\n  a: 1,\r\n}\r\n'
  const { text } = edited(source, { ...kudos, options }) as { text: string }
  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  expect([text[0], text.lastIndexOf('\ufeff')]).toEqual(['\ufeff', 0])
})

describe('changes nothing in', () => {
  test.each([
    ['the argument of another function', 'export default make({ region: "eu" })', 'it does not export defineConfig'],
    ['a computed key', "export default { ['plugins']: {} }", 'its plugins may come from another object'],
    [
      'plugins that a later object may replace',
      'export default { plugins: { a: a() }, ...base }',
      'its plugins may come from another object',
    ],
    ['types', 'export default { plugins: {} } satisfies Config', 'it has code that is not plain JavaScript'],
    ['a function', 'export default make()', 'it does not export defineConfig'],
    ['plugins of another object', 'export default { ...base }', 'its plugins may come from another object'],
    ['plugins that are a variable', 'export default { plugins }', '"plugins" is not written as an object'],
    ['plugins with its name', 'export default { plugins: { kudos: other() } }', 'another plugin with the name "kudos"'],
    ['a comment over lines', 'export default {\n  a: 1, /* b\n  c */\n}', 'a comment or an unusual layout'],
  ])('%s', (_name, source, reason) => {
    expect(edited(source)).toEqual({ reason: expect.stringContaining(reason) })
  })

  test('a configuration that mounts it already, under any name', () => {
    const source = `import thanks from '@acme/kudos'\nexport default { plugins: { thanks: thanks() } }`
    expect(edited(source)).toEqual({ mounted: 'thanks' })
    expect(edited(source.replace('thanks from', '{ default as thanks } from'))).toEqual({ mounted: 'thanks' })
  })
})

test('writes a new configuration, and the lines for one that is not understood', () => {
  expect(newConfig(kudos)).toBe(`import { defineConfig } from '@botwright/framework'
import kudos from '@acme/kudos'

export default defineConfig({
  plugins: { kudos: kudos() },
})
`)
  const wellDone = { ...kudos, name: 'well-done', local: 'wellDone' }
  expect(edited('export default {}', wellDone)).toMatchObject({
    text: expect.stringContaining("'well-done': wellDone()"),
  })
  expect(linesOf(kudos)).toEqual(["import kudos from '@acme/kudos'", 'plugins: { kudos: kudos() }'])
})
