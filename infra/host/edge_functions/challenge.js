// Asks for a token where a request to /mcp brings none (CloudFront Functions, JavaScript runtime 2.0, viewer request).
//
// The answer says where the resource is described, from which agents find out how to sign in (RFC 9728, 5.1). The API's
// own authoriser cannot say it. It does judge every token that comes by here.

function handler(event) {
    const request = event.request;
    // A browser asks with OPTIONS whether it may send a token, and sends none with that.
    if (request.method === 'OPTIONS' || holdsToken(request.headers.authorization)) {
        return request;
    }
    const origin = 'https://' + request.headers.host.value;
    const metadata = origin + '/.well-known/oauth-protected-resource/mcp';
    return {
        statusCode: 401,
        statusDescription: 'Unauthorized',
        headers: {
            'www-authenticate': { value: 'Bearer resource_metadata="' + metadata + '"' },
            'content-type': { value: 'application/problem+json' },
            'cache-control': { value: 'no-store' },
            // An agent in a browser reads the challenge before it has a token; it says nothing that is not public.
            'access-control-allow-origin': { value: '*' },
            'access-control-expose-headers': { value: 'www-authenticate' },
            'strict-transport-security': { value: 'max-age=63072000' },
            'x-content-type-options': { value: 'nosniff' },
        },
        body: {
            encoding: 'text',
            data: JSON.stringify({
                type: 'about:blank',
                title: 'Not authenticated',
                status: 401,
                code: 'unauthenticated',
                detail: 'The request carries no bearer token.',
                remedy: 'Sign in as ' + metadata + ' describes and send the access token in the Authorization header.',
            }),
        },
    };
}

function holdsToken(header) {
    return header !== undefined && /^bearer +\S/i.test(header.value);
}
