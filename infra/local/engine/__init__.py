"""moto as the engine behind the AWS endpoint, and each adaptation it needs: one module a service, with its reason."""
