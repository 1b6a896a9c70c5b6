"""The smooth support vector machine, formula by formula, with numpy's own linear algebra."""

import numpy as np


def p(x, alpha):
    """A smooth plus function; alpha None is the plus function itself."""
    x = np.asarray(x, float)
    if alpha is None:
        return np.maximum(x, 0.0)
    return np.maximum(x, 0.0) + np.log1p(np.exp(-alpha * np.abs(x))) / alpha


def slope(x, alpha):
    """Derivative of p; at the corner of the plus function a half."""
    if alpha is None:
        return np.where(x > 0, 1.0, np.where(x == 0, 0.5, 0.0))
    t = np.exp(-alpha * np.abs(x))
    return np.where(x >= 0, 1.0, t) / (1.0 + t)


def derivatives(X, y, z, c, alpha, weights=None):
    """Objective, gradient and Hessian at z = (w, b)."""
    weights = np.ones(len(y)) if weights is None else weights
    Z = np.column_stack([X, np.ones(len(y))])
    r = 1.0 - y * (Z @ z)
    q, s = p(r, alpha), slope(r, alpha)
    bend = s if alpha is None else s**2 + alpha * q * s * (1.0 - s)
    objective = c / 2 * np.sum(weights * q**2) + z @ z / 2
    gradient = z - c * Z.T @ (weights * q * s * y)
    hessian = np.eye(len(z)) + c * Z.T @ ((weights * bend)[:, None] * Z)
    return objective, gradient, hessian


def fit(X, y, c, alpha, weights=None, tolerance=1e-8, delta=0.05):
    """Newton's method with Armijo's rule from 0: z, objective, steps."""
    z, steps = np.zeros(X.shape[1] + 1), []
    objective, gradient, hessian = derivatives(X, y, z, c, alpha, weights)
    while np.linalg.norm(gradient) > tolerance * (1 + np.linalg.norm(z)):
        d = -np.linalg.solve(hessian, gradient)
        step = 1.0
        while step > 2**-30 and (
            objective - derivatives(X, y, z + step * d, c, alpha, weights)[0]
            < -delta * step * gradient @ d
        ):
            step /= 2
        if step <= 2**-30:  # rounding hides the rest of the way down
            break
        z = z + step * d
        steps.append(step)
        objective, gradient, hessian = derivatives(X, y, z, c, alpha, weights)
    return z, objective, steps
