import { join } from 'node:path'
import ts from 'typescript'
import { fromRoot } from '../run-tool.ts'
import type { Violation } from '../violation.ts'
import { digest, type Digests } from './digest.ts'

/**
 * Compiles projects as `tsc -b` does, up-to-date ones not at all, and keeps their programs for the lint: what the compiler found out
 * about types need not be found out twice.
 */
export function openPrograms(root: string) {
  const held = new Map<string, ts.Program>()
  const declarations = new Map<string, ts.SourceFile | undefined>()

  // Libraries' and built declarations are read once a process. Those of a project are read only after it was compiled.
  const shareDeclarations = <H extends ts.CompilerHost>(host: H): H => {
    const read = host.getSourceFile.bind(host)
    host.getSourceFile = (path, about, ...rest) => {
      if (!path.endsWith('.d.ts')) return read(path, about, ...rest)
      const key = `${path}\0${JSON.stringify(typeof about === 'object' ? [about.languageVersion, about.impliedNodeFormat, about.jsDocParsingMode] : about)}`
      if (!declarations.has(key)) declarations.set(key, read(path, about, ...rest))
      return declarations.get(key)
    }
    return host
  }

  const compile = (project: string): Violation[] => {
    const found: ts.Diagnostic[] = []
    const report = (diagnostic: ts.Diagnostic) => void found.push(diagnostic)
    const create: ts.CreateProgram<ts.EmitAndSemanticDiagnosticsBuilderProgram> = (names, options, host, ...rest) =>
      ts.createEmitAndSemanticDiagnosticsBuilderProgram(names, options, host && shareDeclarations(host), ...rest)
    const host = ts.createSolutionBuilderHost(ts.sys, create, report, () => undefined)
    const builder = ts.createSolutionBuilder(host, [configOf(root, project)], {})
    for (let next = builder.getNextInvalidatedProject(); next; next = builder.getNextInvalidatedProject()) {
      const program = next.kind === ts.InvalidatedProjectKind.Build ? next.getProgram() : undefined
      if (program && next.project === configOf(root, project)) held.set(project, program)
      next.done()
    }
    return found.map((diagnostic) => describe(root, project, diagnostic))
  }

  const load = (project: string): ts.Program => {
    const { fileNames, options, projectReferences = [] } = readProject(root, project)
    const host = shareDeclarations(ts.createCompilerHost(options, true))
    return ts.createProgram({ rootNames: fileNames, options, projectReferences, host })
  }

  return {
    compile,
    /** The program that `compile` left, or one made now. It is not kept: programs are large. */
    take(project: string): ts.Program {
      const program = held.get(project) ?? load(project)
      held.delete(project)
      // The compiler binds lazily, and the lint walks from nodes to their parents.
      program.getTypeChecker()
      return program
    },
    isHeld: (project: string): boolean => held.has(project),
    /** Every file of the repository that the program read. Libraries change with the lock file. */
    readBy: (program: ts.Program): Digests =>
      Object.fromEntries(
        program
          .getSourceFiles()
          .map(({ fileName, text }): [string, string] => [fromRoot(root, fileName), digest(text)])
          .filter(([path]) => !path.startsWith('..') && !path.includes('node_modules/')),
      ),
  }
}

const configOf = (root: string, project: string): string => join(root, project, 'tsconfig.json').replaceAll('\\', '/')

/** A project's options, files and references. */
export function readProject(root: string, project: string): ts.ParsedCommandLine {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  const read = ts.getParsedCommandLineOfConfigFile(configOf(root, project), {}, host)
  if (!read) throw new Error(`${project}/tsconfig.json cannot be read`)
  return read
}

function describe(root: string, project: string, { file, start, messageText, code }: ts.Diagnostic): Violation {
  const [fact = ''] = ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')
  return {
    file: file ? fromRoot(root, file.fileName) : join(project, 'tsconfig.json'),
    ...(file && start !== undefined ? { line: file.getLineAndCharacterOfPosition(start).line + 1 } : {}),
    fact: fact.replace(/\.$/, ''),
    fix: `correct the types (TS${code})`,
  }
}
