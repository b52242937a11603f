import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where `make run` serves the API, for whoever edits pages with `npm run dev`.
const HOST = process.env.CONSOLE_HOST ?? 'http://localhost:3099';

export default defineConfig({
  plugins: [react()],
  build: {
    // The deployment's policy lets no script stand in the document, nor a data: address be one.
    assetsInlineLimit: 0,
    target: 'es2023',
    // What a landing loads is held to a size as it is sent: tests/console/test_build.py.
    chunkSizeWarningLimit: 1500,
  },
  server: {
    proxy: {
      '/api': HOST,
      '/config.json': HOST,
      '/login': HOST,
      '/oauth2': HOST,
      '/ws': { target: HOST, ws: true },
    },
  },
});
