;;; -*- lexical-binding: t; -*-
;; A session in Emacs, told line by line: open a file, see the diagnostic, apply the code action.

(require 'eglot)
(require 'python)

(defun say (&rest parts)
  (princ (concat (mapconcat (lambda (part) (format "%s" part)) parts " ") "\n")))

(defun wait-for (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (say "waited in vain for" what)
        (kill-emacs 1))
      (accept-process-output nil 0.02))))

(defun first-line (text)
  (car (split-string text "\n")))

(setq eglot-sync-connect t
      eglot-confirm-server-initiated-edits nil
      flymake-no-changes-timeout 0.1)

(find-file (getenv "OPENED"))
(say "opened" (buffer-name) "as" major-mode)
(unless (eglot-current-server)
  ;; `eglot-ensure' waits for the command loop, which there is none of without a terminal.
  (apply #'eglot (eglot--guess-contact)))

(flymake-mode 1)
(flymake-start)
(wait-for "a diagnostic" (lambda () (flymake-diagnostics)))
(dolist (found (flymake-diagnostics))
  (goto-char (flymake-diagnostic-beg found))
  (say "diagnostic"
       (format "%d:%d-%d" (line-number-at-pos) (current-column)
               (+ (current-column) (- (flymake-diagnostic-end found) (flymake-diagnostic-beg found))))
       (first-line (flymake-diagnostic-text found))))

(let* ((found (car (flymake-diagnostics)))
       (start (flymake-diagnostic-beg found))
       (end (flymake-diagnostic-end found))
       (shown (jsonrpc-request (eglot-current-server) :textDocument/hover
                               (eglot--TextDocumentPositionParams))))
  (say "hover" (first-line (plist-get (plist-get shown :contents) :value)))
  (let ((completing-read-function
         (lambda (_prompt offered &rest _)
           (let ((titles (all-completions "" offered)))
             (dolist (title titles) (say "offered" title))
             (car titles)))))
    ;; As if a key was pressed: after a click a menu would be shown.
    (let ((last-nonmenu-event ?a))
      (eglot-code-actions start end nil t)))
  (say "buffer" (buffer-substring-no-properties (line-beginning-position) (line-end-position))))

;; Told after a pause by a timer of the command loop.
(eglot--signal-textDocument/didChange)
(wait-for "the diagnostic to go" (lambda () (not (flymake-diagnostics))))
(say "clean and on disk as it was:"
     (with-temp-buffer
       (insert-file-contents (getenv "OPENED"))
       (goto-char (point-min))
       (search-forward "shift")
       (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
(eglot-shutdown (eglot-current-server))
(say "ended")
(set-buffer-modified-p nil)
(kill-emacs 0)
