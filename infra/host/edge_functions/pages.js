// Answers every address of a page with the console's one document, which shows the page itself (CloudFront Functions,
// JavaScript runtime 2.0, viewer request). What is a file stays one, so a file that is missing is told as missing.
//
// A page's address may end in something that looks like a file's: /catalog/ml.p5.48xlarge. Files lie under /assets/ or,
// with an ending, at the top.

function handler(event) {
    const request = event.request;
    if (!isFile(request.uri)) {
        request.uri = '/index.html';
    }
    return request;
}

function isFile(uri) {
    return uri.startsWith('/assets/') || /^\/[^/]+\.[a-z0-9]+$/i.test(uri);
}
