import { globSync } from 'node:fs'
import { defineConfig } from 'rolldown'

const entries = [...globSync('commands/**/*.ts'), 'src/cli.ts', 'src/lab/node/worker.ts']

/** Split chunks keep start-up small: a command loads only what it imports (measured: npm run bench:startup). */
export default defineConfig({
  input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  transform: { target: 'node22.19' },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Names stay: they are in stack traces, and oclif shows class names.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
})
