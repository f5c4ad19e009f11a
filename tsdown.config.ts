import { defineConfig } from 'tsdown'

/** Split chunks keep start-up small: a command loads only what it imports (measured: npm run bench:startup). */
export default defineConfig({
  entry: ['commands/**/*.ts', 'src/cli.ts', 'src/lab/node/worker.ts'],
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  fixedExtension: false,
  unbundle: false,
  dts: false,
  clean: true,
  minify: { mangle: false, compress: true, codegen: true } as never,
  deps: { alwaysBundle: [/.*/] },
  logLevel: 'warn',
})
