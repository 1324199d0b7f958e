// Writes src/lib/shapes.generated.ts: the types of src/lib/openapi/schema-types.ts as plain interfaces, as inferred from the schemas.
// Run `npm run shapes -w packages/protocol` after changing a schema or the table of endpoints; a test fails if you forget.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'oxfmt'
import ts from 'typescript'

const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const source = from('src/lib/openapi/schema-types.ts')
export const generated = from('src/lib/shapes.generated.ts')

const head =
  '// size: table. Written from the schemas by scripts/write-shapes.mjs: change those, then `npm run shapes -w packages/protocol`.\n\n'

const { options } = ts.getParsedCommandLineOfConfigFile(from('tsconfig.json'), {}, ts.sys)
const program = ts.createProgram([source], { ...options, noEmit: true, composite: false, incremental: false })
const checker = program.getTypeChecker()

/** The contents of the file for the current schemas. */
export async function shapesText() {
  const found = exportedTypes(source)
  const docs = callDocs()
  const texts = new Map()
  /** A type written out without names of other types. Types with equal texts are equal. */
  const inFull = (type) => {
    if (!texts.has(type)) texts.set(type, written(type, inFull, docs))
    return texts.get(type)
  }
  const names = new Map()
  for (const { name, type } of found) if (!names.has(inFull(type))) names.set(inFull(type), name)
  const byName = (type) => names.get(inFull(type)) ?? written(type, byName, docs)

  const declarations = found.map(({ name, type, doc }) => {
    const first = names.get(inFull(type))
    const text = first === name ? written(type, byName, docs) : first
    const isAlias = first !== name || type.isUnion()
    return `${comment(doc)}export ${isAlias ? `type ${name} =` : `interface ${name}`} ${text}\n`
  })
  // Use only the style options: the generated file is in `ignorePatterns`.
  const {
    $schema: _schema,
    ignorePatterns: _ignored,
    ...style
  } = JSON.parse(await readFile(from('../../.oxfmtrc.json'), 'utf8'))
  const { code, errors } = await format(generated, head + declarations.join('\n'), style)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return code
}

/** Renders a type as TypeScript; `inner` renders its parts. */
function written(type, inner, docs) {
  if (type.flags & ts.TypeFlags.Boolean) return 'boolean'
  if (type.isUnion()) {
    const parts = type.types.map(inner)
    const others = parts.filter((part) => part !== 'true' && part !== 'false')
    return (parts.length - others.length === 2 ? ['boolean', ...others] : parts).sort(nothingLast).join(' | ')
  }
  if (checker.isArrayType(type)) return `(${inner(checker.getTypeArguments(type)[0])})[]`
  const isObject = type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)
  // Remove the default type argument, which `Uint8Array` does not have before TypeScript 5.7.
  if (!isObject || isOfPlatform(type)) return checker.typeToString(type).replace('<ArrayBufferLike>', '')
  const open = checker.getIndexInfosOfType(type).map((info) => `[key: string]: ${inner(info.type)}`)
  const fields = checker.getPropertiesOfType(type).map((field) => {
    const optional = field.flags & ts.SymbolFlags.Optional ? '?' : ''
    const fieldType = checker.getTypeOfSymbol(field)
    const text = inner(fieldType)
    // For optional fields the compiler adds `undefined` to the type; remove it.
    const value = fieldType.isUnion() && fieldType.types.some(isLeftOut) ? text.replace(/ \| undefined$/, '') : text
    return `${comment(docs.get(fieldType) ?? '')}${field.name}${optional}: ${value}`
  })
  return open.length + fields.length === 0 ? 'object' : `{ ${[...open, ...fields].join('\n')} }`
}

const comment = (doc) => (doc === '' ? '' : `/** ${doc} */\n`)
const nothing = ['null', 'undefined']
const nothingLast = (one, two) => nothing.indexOf(one) - nothing.indexOf(two)

const isLeftOut = (type) => type.flags & ts.TypeFlags.Undefined && type !== checker.getUndefinedType()

/** Whether a type comes from the platform, such as `Uint8Array` or `Blob`; it is rendered by its name. */
const isOfPlatform = (type) =>
  type.symbol?.declarations?.some((at) =>
    /[\\/](?:lib\.[\w.]+|@types[\\/].*)\.d\.ts$/.test(at.getSourceFile().fileName),
  )

/** The exported types of a module, in order. */
function exportedTypes(path) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(path))
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const doc = ts.displayPartsToString(target.getDocumentationComment(checker)).replaceAll('\n', ' ')
    return { name: symbol.name, type: checker.getDeclaredTypeOfSymbol(target), doc }
  })
}

/** The docstring of each endpoint, by the type of its entry in `Calls`; editors show it after `ctx.api.`. */
function callDocs() {
  const { type: table } = exportedTypes(from('src/lib/endpoints.ts')).find(({ name }) => name === 'Endpoints')
  const { type: calls } = exportedTypes(source).find(({ name }) => name === 'Calls')
  const docs = new Map()
  for (const group of checker.getPropertiesOfType(table)) {
    const entries = checker.getTypeOfSymbol(group)
    const groupOfCalls = checker.getTypeOfPropertyOfType(calls, group.name)
    for (const { name } of checker.getPropertiesOfType(entries)) {
      const fact = (of) => checker.getTypeOfPropertyOfType(checker.getTypeOfPropertyOfType(entries, name), of).value
      const text = `${fact('summary')} (§${fact('spec').replace('/', ', ')}): \`${fact('method')} ${fact('path')}\``
      docs.set(checker.getTypeOfPropertyOfType(groupOfCalls, name), text)
    }
  }
  return docs
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await writeFile(generated, await shapesText())
