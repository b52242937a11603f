// Lets pages of any origin ask for what agents look up under /.well-known (CloudFront Functions, JavaScript runtime 2.0,
// viewer request).
//
// An agent in a browser sends the version of MCP along, so the browser asks first whether it may; the bucket would refuse.

function handler(event) {
    const request = event.request;
    if (request.method !== 'OPTIONS') {
        return request;
    }
    return {
        statusCode: 204,
        statusDescription: 'No Content',
        headers: {
            'access-control-allow-origin': { value: '*' },
            'access-control-allow-methods': { value: 'GET, HEAD' },
            'access-control-allow-headers': { value: '*' },
            'access-control-max-age': { value: '86400' },
            'strict-transport-security': { value: 'max-age=63072000' },
        },
    };
}
