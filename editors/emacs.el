;; autograd-lint in Emacs (eglot: part of Emacs 29 and newer, a package before): paste into init.el.
;; `autograd-lint' has to be on `exec-path': pip install 'autograd-lint[server]'

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((python-mode python-ts-mode) . ("autograd-lint" "server"))))

(setq-default eglot-workspace-configuration
              '(:autograd-lint (:certainty "likely")))

(add-hook 'python-mode-hook #'eglot-ensure)
(add-hook 'python-ts-mode-hook #'eglot-ensure)

;; M-x eglot-code-actions offers the fixes, M-x eldoc shows the rule's page.
;; eglot starts one server for a mode: to run this one beside another, put both behind a multiplexer
;; such as lspx or rass, and name that here.
