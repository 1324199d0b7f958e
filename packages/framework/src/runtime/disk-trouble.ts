/** The fixes for a full disk, by error code. */
export const fullDiskFixes = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota of this user is used up: free some space',
}

const fixes: Readonly<Partial<Record<string, string>>> = {
  ...fullDiskFixes,
  EISDIR: 'it is a folder: give the path of a file',
  EROFS: 'the disk is read-only: make it writable',
  EACCES: 'permission denied: give the user of this process access',
  EPERM: 'permission denied: give the user of this process access',
}

/** Describes a disk error with the path and the fix; undefined for any other error. */
export function diskTrouble(error: unknown, folder: string): string | undefined {
  const { code = '', path = folder, syscall = '' } = (error ?? {}) as NodeJS.ErrnoException
  const fix = fixes[code]
  // The same codes come from watching files, from ports and from programs.
  const isDisk = /^(?:open|write|mkdir|mkdtemp|rename|rmdir|unlink|rm|scandir|opendir|copyfile|symlink)$/.test(syscall)
  return fix === undefined || !isDisk ? undefined : `${path}: ${fix} (${syscall}: ${code})`
}
